import type { Log } from '../../../lib/log.ts';
import type { WrappingKeys } from '../port.ts';
import { ringOf, unwrapWith, wrapWith, type RingData } from '../ring-data.ts';
import { readRing, versionOf, type ReadRing } from './ring-file.ts';

export interface WatchOptions {
  /** Throws for keys that do not open what this installation has. */
  check(candidate: Pick<WrappingKeys, 'wrap' | 'unwrap'>): Promise<void>;
  log: Log;
}

interface WatchedRing {
  /** The ring as the file has it, or the one before while that cannot be taken. */
  now(): Promise<RingData>;
  /** Reads the file. Throws for an invalid key ring, or one that fails the check. */
  readChecked(): Promise<ReadRing>;
  /** Overwrites what is in memory. */
  forget(): void;
}

/** Reads a ring's file, without a check, and again whenever it changed, with one. */
export async function watchRing(path: string, { check, log }: WatchOptions): Promise<WatchedRing> {
  let seen = await versionOf(path);
  let ring = take(await readRing(path));
  let refused = '';
  let looking: Promise<void> | undefined;

  function take({ ring: file, warning }: ReadRing): RingData {
    if (warning !== '') log.warn(warning);
    return ringOf(file);
  }

  async function readChecked(): Promise<ReadRing> {
    const read = await readRing(path);
    const candidate = ringOf(read.ring);
    await check({
      wrap: async (key, binding) => wrapWith(candidate, key, binding),
      unwrap: async (wrapped, binding) => unwrapWith(candidate, wrapped, binding),
    });
    return read;
  }

  /** A file that is not taken may be later, as when somebody was just editing it: the next use looks again. */
  async function look(version: string): Promise<void> {
    try {
      ring = take(await readChecked());
      seen = version;
    } catch (error) {
      if (refused !== version)
        log.error({ err: error }, `the key ring ${path} was changed and is not taken: what it was before still holds`);
      refused = version;
    }
  }

  return {
    async now() {
      for (;;) {
        const version = await versionOf(path).catch(() => seen);
        if (version === seen) return ring;
        looking ??= look(version).finally(() => {
          looking = undefined;
        });
        await looking;
        // Otherwise it was somebody else's look, at what was there before.
        if (refused === version) return ring;
      }
    },
    readChecked,
    forget() {
      for (const key of ring.keys.values()) key.fill(0);
    },
  };
}
