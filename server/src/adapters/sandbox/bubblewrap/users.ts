import { readFileSync } from 'node:fs';
import { ProviderError } from '../../../lib/errors.ts';
import type { Owner } from '../ownership.ts';

/** Pool of host users for running sandboxes; uid and gid are equal. */
export interface UserPool {
  /** Directory of the claims. */
  directory: string;
  /** Claims a free user of this host, preferably `preferred`. */
  take(owner: Owner, preferred: number | undefined): Promise<number>;
  give(owner: Owner, uid: number): Promise<void>;
}

/**
 * Ranges that no other software allocates: the first one is above those that systemd gives to containers
 * (systemd.io/UIDS-GIDS), the second is for a root whose own user namespace maps only the traditional 65,536.
 */
const ranges = [
  { first: 1_900_000_000, count: 65_536 },
  { first: 40_000, count: 20_000 },
];
const attempts = 200;

/** Returns the host's pool, with its claims in `directory`, which all workers of the host share. Undefined if no range is mapped. */
export function findUserPool(directory: string): UserPool | undefined {
  const range = ranges.find(({ first, count }) => isMapped(first, count));
  if (range === undefined) return undefined;
  const { first, count } = range;
  return {
    directory,
    async take(owner, preferred) {
      if (preferred !== undefined && (await owner.claim(directory, String(preferred), null))) return preferred;
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const uid = first + Math.floor(Math.random() * count);
        if (await owner.claim(directory, String(uid), null)) return uid;
      }
      throw new ProviderError('no host user is free for another sandbox', { retryable: true });
    },
    give: (owner, uid) => owner.release(directory, String(uid)),
  };
}

function isMapped(first: number, count: number): boolean {
  const map = readFileSync('/proc/self/uid_map', 'utf8');
  return map.split('\n').some((line) => {
    const [inside, , length] = line.trim().split(/\s+/).map(Number);
    return inside !== undefined && length !== undefined && inside <= first && first + count <= inside + length;
  });
}
