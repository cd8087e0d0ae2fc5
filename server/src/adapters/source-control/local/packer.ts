import { noteChanges, packIfDue } from '../../../git/packing.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';

/** Packs repositories in the background, one at a time. */
export interface Packer {
  /** Packs a repository if that is due after a push of so many refs. */
  packSoon(path: string, refs: number): void;
  close(): Promise<void>;
}

export interface PackerOptions {
  log: Log;
  /** See `PackOptions`. */
  leaveBytes: number;
}

const timeoutMs = 10 * 60_000;
/**
 * A repository rests so many times as long as its packing took: who may push can make it due with each push, and packing takes
 * no more than a tenth of the time all the same.
 */
const restFactor = 10;

export function createPacker({ log, leaveBytes }: PackerOptions): Packer {
  const closing = new AbortController();
  /** The refs that were pushed since, by path. */
  const waiting = new Map<string, number>();
  /** The ends of rests, by path. */
  const resting = new Map<string, NodeJS.Timeout>();
  let last: Promise<void> = Promise.resolve();

  function enqueue(path: string): void {
    last = last.then(() => pack(path));
  }

  async function pack(path: string): Promise<void> {
    const refs = waiting.get(path) ?? 0;
    waiting.delete(path);
    if (closing.signal.aborted) return;
    const startedAt = performance.now();
    try {
      await noteChanges(path, refs);
      if (!(await packIfDue(path, { timeoutMs, leaveBytes, signal: closing.signal }))) return;
      log.debug({ path }, 'packed a repository');
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ path, reason: messageOf(error) }, 'failed to pack a repository');
    }
    rest(path, restFactor * (performance.now() - startedAt));
  }

  function rest(path: string, ms: number): void {
    const end = setTimeout(() => {
      resting.delete(path);
      if (waiting.has(path)) enqueue(path);
    }, ms);
    resting.set(path, end.unref());
  }

  return {
    packSoon(path, refs) {
      const isWaiting = waiting.has(path);
      waiting.set(path, refs + (waiting.get(path) ?? 0));
      if (!isWaiting && !resting.has(path)) enqueue(path);
    },
    async close() {
      closing.abort();
      await last;
      for (const end of resting.values()) clearTimeout(end);
    },
  };
}
