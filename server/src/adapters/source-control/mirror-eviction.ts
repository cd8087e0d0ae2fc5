import { readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { evicted, lastUseOf, mirrorNames, removeEntry, sizeOfEntry } from '../../git/mirror-entries.ts';
import { messageOf } from '../../lib/errors.ts';
import { chooseEvicted } from '../../lib/eviction.ts';
import type { Log } from '../../lib/log.ts';

export interface MirrorLimits {
  /** Limit for all mirrors together; 0 for none. */
  readonly maxBytes: number;
  /** Mirrors are removed while less than twice this much disk is free. */
  readonly reserveBytes: number;
}

interface Options extends MirrorLimits {
  /** Holds `<organization>/<repository>.git`, each with a `.lock` and its generations beside it. */
  readonly directory: string;
  readonly isInUse: (path: string) => boolean;
  readonly log: Log;
}

const unusedMs = 7 * 24 * 60 * 60_000;

/**
 * Creates a function that removes the mirrors that were not used for 7 days, and the least recently used until the rest is
 * within the limits. It never rejects. Calls during a run share one further run, since that may have passed a mirror by.
 */
export function createEviction(options: Options): () => Promise<void> {
  const { directory, isInUse, log } = options;
  const measured = new Map<string, { bytes: number; usedMs: number }>();
  let running: Promise<void> | undefined;
  let isAskedAgain = false;

  async function measure(path: string, usedMs: number): Promise<number> {
    const before = measured.get(path);
    if (before?.usedMs === usedMs && !isInUse(path)) return before.bytes;
    const bytes = await sizeOfEntry(path);
    measured.set(path, { bytes, usedMs });
    return bytes;
  }

  async function survey() {
    const found = [];
    for (const orgId of await namesIn(directory)) {
      const names = await namesIn(join(directory, orgId));
      const rest = names.filter((name) => name.includes(evicted));
      for (const name of rest) await rm(join(directory, orgId, name), { recursive: true, force: true });
      for (const name of mirrorNames(names)) {
        const path = join(directory, orgId, name);
        const usedMs = await lastUseOf(path);
        found.push({ path, orgId, usedMs, bytes: await measure(path, usedMs), isInUse: isInUse(path) });
      }
    }
    return found;
  }

  async function evict(): Promise<void> {
    const found = await survey();
    const there = new Set(found.map(({ path }) => path));
    for (const path of measured.keys()) if (!there.has(path)) measured.delete(path);
    const { bavail, bsize } = await statfs(directory);
    const chosen = chooseEvicted(found, {
      maxBytes: options.maxBytes === 0 ? Infinity : options.maxBytes,
      missingBytes: Math.max(0, 2 * options.reserveBytes - bavail * bsize),
      unusedBeforeMs: Date.now() - unusedMs,
    });
    for (const { path, orgId, bytes } of chosen) {
      // It may have come into use during the survey.
      if (isInUse(path)) continue;
      await removeEntry(path);
      log.info({ organization: orgId, path, bytes }, 'removed a mirror');
    }
  }

  async function run(): Promise<void> {
    do {
      isAskedAgain = false;
      await evict().catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'failed to remove mirrors'));
    } while (isAskedAgain);
  }

  return () => {
    isAskedAgain = running !== undefined;
    running ??= run().finally(() => (running = undefined));
    return running;
  };
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
