import { packIfDue } from '../../../git/packing.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';

/** Packs repositories in the background, one at a time. */
export interface Packer {
  /** Packs a repository if that is due after a push of so many refs. */
  packSoon(path: string, refs: number): void;
  close(): Promise<void>;
}

const timeoutMs = 10 * 60_000;
/** A push of as many refs is a reason to pack them, whatever objects came with them. */
const manyRefs = 100;

export function createPacker(log: Log): Packer {
  const closing = new AbortController();
  /** True for a large push, by path. */
  const waiting = new Map<string, boolean>();
  let last: Promise<void> = Promise.resolve();

  async function pack(path: string): Promise<void> {
    const isLarge = waiting.get(path) === true;
    waiting.delete(path);
    if (closing.signal.aborted) return;
    try {
      if (await packIfDue(path, { isLarge, timeoutMs, signal: closing.signal }))
        log.debug({ path }, 'packed a repository');
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ path, reason: messageOf(error) }, 'failed to pack a repository');
    }
  }

  return {
    packSoon(path, refs) {
      const before = waiting.get(path);
      waiting.set(path, before === true || refs >= manyRefs);
      if (before === undefined) last = last.then(() => pack(path));
    },
    async close() {
      closing.abort();
      await last;
    },
  };
}
