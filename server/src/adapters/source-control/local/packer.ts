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

export function createPacker({ log, leaveBytes }: PackerOptions): Packer {
  const closing = new AbortController();
  /** The refs that were pushed since, by path. */
  const waiting = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();

  async function pack(path: string): Promise<void> {
    const refs = waiting.get(path) ?? 0;
    waiting.delete(path);
    if (closing.signal.aborted) return;
    try {
      await noteChanges(path, refs);
      if (await packIfDue(path, { timeoutMs, leaveBytes, signal: closing.signal }))
        log.debug({ path }, 'packed a repository');
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ path, reason: messageOf(error) }, 'failed to pack a repository');
    }
  }

  return {
    packSoon(path, refs) {
      const isWaiting = waiting.has(path);
      waiting.set(path, refs + (waiting.get(path) ?? 0));
      if (!isWaiting) last = last.then(() => pack(path));
    },
    async close() {
      closing.abort();
      await last;
    },
  };
}
