import type { Log } from '../../../lib/log.ts';
import type { WrappingKeys } from '../port.ts';
import { toRingData, unwrapWith, wrapWith, type RingData } from '../ring-data.ts';
import { readRing, versionOf, type ReadRing } from './ring-file.ts';

export interface WatchOptions {
  /** Throws for keys that cannot decrypt this installation's data. */
  check(candidate: Pick<WrappingKeys, 'wrap' | 'unwrap'>): Promise<void>;
  log: Log;
}

interface WatchedRing {
  /** The file's ring, or the previous one while the file is not accepted. */
  now(): Promise<RingData>;
  /** Reads the file. Throws for an invalid key ring, or one that fails the check. */
  readChecked(): Promise<ReadRing>;
  /** Overwrites the keys in memory. */
  forget(): void;
}

/** Reads a ring's file without a check, and after each change again with one. */
export async function watchRing(path: string, { check, log }: WatchOptions): Promise<WatchedRing> {
  let seen = await versionOf(path);
  let ring = take(await readRing(path));
  let refused = '';
  let looking: Promise<void> | undefined;

  function take({ ring: file, warning }: ReadRing): RingData {
    if (warning !== '') log.warn(warning);
    return toRingData(file);
  }

  async function readChecked(): Promise<ReadRing> {
    const read = await readRing(path);
    const candidate = toRingData(read.ring);
    await check({
      wrap: async (key, binding) => wrapWith(candidate, key, binding),
      unwrap: async (wrapped, binding) => unwrapWith(candidate, wrapped, binding),
    });
    return read;
  }

  /** Reads a changed file. A refused one may be valid later, e.g. after an edit, so the next use tries again. */
  async function look(version: string): Promise<void> {
    try {
      ring = take(await readChecked());
      seen = version;
    } catch (error) {
      if (refused !== version)
        log.error({ err: error }, `the changed key ring ${path} is not valid; the previous one remains in use`);
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
        // Otherwise a concurrent call checked an older version.
        if (refused === version) return ring;
      }
    },
    readChecked,
    forget() {
      for (const key of ring.keys.values()) key.fill(0);
    },
  };
}
