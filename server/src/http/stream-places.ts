import { readFileSync } from 'node:fs';
import { AppError } from '../lib/errors.ts';

/** The event streams that a process holds open. Each costs it a descriptor and some 30 KiB. */
export interface StreamPlaces {
  /** Takes a place, and returns how to leave it. Throws 503 `capacity_unavailable`. */
  take(orgId: string): () => void;
}

/** Shares places between organizations: one of them has at most two thirds, so that it cannot keep the others out. */
export function createStreamPlaces(most: number): StreamPlaces {
  const taken = new Map<string, number>();
  let all = 0;
  function change(orgId: string, by: 1 | -1): void {
    const own = (taken.get(orgId) ?? 0) + by;
    if (own === 0) taken.delete(orgId);
    else taken.set(orgId, own);
    all += by;
  }
  return {
    take(orgId) {
      if (all >= most || (taken.get(orgId) ?? 0) >= Math.ceil((most * 2) / 3)) throw tooMany();
      change(orgId, 1);
      let isLeft = false;
      return () => {
        if (!isLeft) change(orgId, -1);
        isLeft = true;
      };
    },
  };
}

function tooMany(): AppError {
  return new AppError(
    'capacity_unavailable',
    'The server has too many open event streams. Close some, follow many sessions by the stream of the organization, or try again later.',
  );
}

/** The rest is for other requests, programs and files. */
const shareOfDescriptors = 3 / 4;

/** Returns how many files and sockets this process can have open. */
function descriptors(): number {
  const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return found === undefined ? Infinity : Number(found);
}

/** The places of this process. */
export const streamPlaces = createStreamPlaces(Math.floor(descriptors() * shareOfDescriptors));
