import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createUses } from '../../git/mirror-entries.ts';
import { maintainMirror, newestOf } from '../../git/mirror-generations.ts';
import { TooLarge } from '../../git/copy-limits.ts';
import { syncMirror } from '../../git/mirror.ts';
import type { GitRemote } from '../../git/remote.ts';
import { createSharedRuns } from '../../git/shared-run.ts';
import { makeDirectory } from '../../lib/directories.ts';
import { AppError, messageOf, ProviderError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createSemaphores } from '../../lib/semaphore.ts';
import { createEviction, type MirrorLimits } from './mirror-eviction.ts';

export interface HostMirrorsOptions extends MirrorLimits {
  /** Holds `<organization>/<repository>.git`. No other process uses it. */
  readonly directory: string;
  /** Resolves and checks the address of a git URL. Throws a permanent ProviderError if it is not allowed. */
  readonly remote: (url: string) => Promise<GitRemote>;
  readonly log: Log;
  /** Ends all fetches. */
  readonly closing: AbortSignal;
  /** The age in milliseconds up to which branches are new enough, and for which a failure is remembered; default 15,000. */
  readonly freshMs?: number;
  /** The maximum time in milliseconds that a caller waits for a fetch, which then continues; default 30,000. */
  readonly waitMs?: number;
  /** The maximum duration of a fetch in milliseconds; default 600,000. */
  readonly fetchMs?: number;
  /** Limit for the pack of one fetch; 0 for none. */
  readonly cloneBytes: number;
}

/** A repository's mirror on this machine. */
export interface MirrorPlace {
  readonly orgId: string;
  /** The path of the symlink to its newest generation. */
  readonly path: string;
}

/** Mirrors of repositories of git hosts: a cache of limited size, of all organizations. */
export interface HostMirrors {
  readonly freshMs: number;
  readonly waitMs: number;
  /** Resolves and checks the address of a git URL. */
  readonly remote: (url: string) => Promise<GitRemote>;
  /** Retains a repository's mirror, which may not exist yet, until the returned function is called. */
  hold(repository: { orgId: string; id: string }): MirrorPlace & { release(): void };
  /** The directory of the newest generation; undefined if there is none. */
  newest(place: MirrorPlace): Promise<string | undefined>;
  /** The time in milliseconds since the mirror was as its host; Infinity if it never was in this process. */
  ageMs(place: MirrorPlace): number;
  /**
   * Creates or updates a mirror, with `commits` if the host has them. Concurrent callers share a fetch. Throws the error of an
   * attempt in the last 15 s again; a retryable ProviderError if it takes longer than `waitMs`, and then continues.
   */
  sync(place: MirrorPlace, remote: () => Promise<GitRemote>, commits: readonly string[]): Promise<void>;
}

interface Failure {
  readonly error: unknown;
  readonly untilMs: number;
}

/** A repository beyond the limit of size is not fetched again for this long. */
const tooLargeMs = 60 * 60_000;
const surveyMs = 10 * 60_000;
const limits = { each: 2, total: 4, waiting: 200 };

export function openHostMirrors(options: HostMirrorsOptions): HostMirrors {
  const { directory, closing } = options;
  const { freshMs = 15_000, waitMs = 30_000, fetchMs = 600_000 } = options;
  const copyLimits = { mostBytes: options.cloneBytes || Infinity, leaveBytes: leastFree(options) };
  makeDirectory(directory, 0o700);
  const uses = createUpkeep(options, fetchMs);
  const runs = createSharedRuns<void>();
  const turns = createSemaphores(limits, busy);
  const places = createSemaphores({ each: 1, total: Infinity, waiting: limits.waiting }, busy);
  const synced = new Map<string, number>();
  const failures = new Map<string, Failure>();

  async function fetch({ path }: MirrorPlace, remote: () => Promise<GitRemote>, commits: readonly string[]) {
    throwRemembered(path);
    const release = uses.retain(path);
    const begunMs = performance.now();
    try {
      const from = { path, remote: await remote(), commits, keepsCommits: true };
      const { outcome } = await syncMirror({ ...from, timeoutMs: fetchMs, within: copyLimits, signal: closing });
      synced.set(path, begunMs);
      failures.delete(path);
      if (outcome !== 'fetched') uses.noteNew(path);
    } catch (error) {
      const nowMs = performance.now();
      const restMs = error instanceof TooLarge ? tooLargeMs : Math.max(freshMs, nowMs - begunMs);
      failures.set(path, { error, untilMs: nowMs + restMs });
      throw error;
    } finally {
      release();
    }
  }

  function throwRemembered(path: string): void {
    const failure = failures.get(path);
    if (failure !== undefined && performance.now() < failure.untilMs) throw failure.error;
  }

  return {
    freshMs,
    waitMs,
    remote: options.remote,
    hold({ orgId, id }) {
      const path = join(directory, orgId, `${id}.git`);
      makeDirectory(dirname(path), 0o700);
      return { orgId, path, release: uses.retain(path) };
    },
    async newest({ path }) {
      const found = await newestOf(path);
      return found !== undefined && existsSync(found) ? found : undefined;
    },
    ageMs: ({ path }) => performance.now() - (synced.get(path) ?? -Infinity),
    async sync(place, remote, commits) {
      throwRemembered(place.path);
      // One at a time: a large one must not take all turns, and a failure is remembered for those behind it.
      const work = () => places.run(place.path, () => turns.run(place.orgId, () => fetch(place, remote, commits)));
      const run = runs.run([place.path, ...commits].join('\0'), undefined, work);
      await within(run, waitMs);
    },
  };
}

/** Returns the free disk that copies leave, in bytes. */
function leastFree({ reserveBytes }: MirrorLimits): number {
  return reserveBytes / 2;
}

/** Counts the uses of mirrors. When nobody uses one, removes its old generations, and from time to time mirrors beyond the limits. */
function createUpkeep(options: HostMirrorsOptions, timeoutMs: number) {
  const { log, closing } = options;
  const uses = createUses();
  const evict = createEviction({ ...options, isInUse: uses.isInUse });
  const unmaintained = new Set<string>();
  let surveyedMs = -Infinity;

  /** Removes generations that nobody reads any more. Whoever begins to read meanwhile reads the newest one, which stays. */
  async function maintain(path: string): Promise<void> {
    const release = uses.hold(path);
    try {
      const kept = { leaveBytes: leastFree(options) };
      await maintainMirror(path, await readdir(dirname(path)), { timeoutMs, signal: closing, within: kept });
    } catch (error) {
      if (!closing.aborted) log.warn({ path, reason: messageOf(error) }, 'failed to maintain a mirror');
    } finally {
      release();
    }
  }

  /** Looks at the limits from time to time, and once a new mirror has no reader: before, it could not be removed. */
  async function afterUse(path: string): Promise<void> {
    const isNew = !uses.isInUse(path) && unmaintained.delete(path);
    if (isNew) await maintain(path);
    else if (performance.now() - surveyedMs < surveyMs) return;
    surveyedMs = performance.now();
    await evict();
  }

  return {
    /** Notes that a mirror has a new generation. */
    noteNew(path: string): void {
      unmaintained.add(path);
      surveyedMs = -Infinity;
    },
    retain(path: string): () => void {
      const release = uses.hold(path);
      return () => {
        release();
        void afterUse(path);
      };
    },
  };
}

/** Waits for work at most `ms`; the work continues after that. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController();
  const isDone = work.then(() => true);
  const isLate = delay(ms, false, { signal: over.signal }).catch(() => true);
  try {
    if (await Promise.race([isDone, isLate])) return;
  } finally {
    over.abort();
  }
  isDone.catch(() => undefined);
  throw new ProviderError('The repository is still being copied from its host. Try again in a minute.', {
    retryable: true,
  });
}

function busy(): AppError {
  return new AppError(
    'capacity_unavailable',
    'Too many repositories are being read from their hosts. Try again later.',
  );
}
