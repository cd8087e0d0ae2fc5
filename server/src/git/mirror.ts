import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { cloneBare, listRefs, readBranch, resolveRef } from './bare.ts';
import { DiskFull, TooLarge, withinLimits, type CopyLimits } from './copy-limits.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { adopt, hasLoss, isLost, newestOf, noteLoss, publish, renewLocked } from './mirror-generations.ts';
import { git, GitError } from './native.ts';
import { isBranchName, isObjectId } from './names.ts';
import { noteChanges } from './packing.ts';
import { prepareRemote } from './remote.ts';
import { createSharedRuns } from './shared-run.ts';
import type { GitRemote } from './remote.ts';

export interface MirrorOptions {
  /** Path of the mirror's symlink; {@link holdMirror} returns the repository. Its lock is `<path>.lock`. */
  path: string;
  remote: GitRemote;
  /** Commits to fetch even if no branch has them any more, e.g. a resumed session's base. */
  commits?: readonly string[];
  /** True to keep `commits` by refs of their own, and to ignore those that upstream does not have. Default: a later update drops them. */
  keepsCommits?: boolean;
  /** Limits for the pack file of one fetch, and for the disk; none by default. */
  within?: CopyLimits;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Replaces the mirror even if it looks intact, e.g. after a clone of it failed. */
  rebuild?: boolean;
}

export interface MirrorResult {
  /**
   * `created`: it did not exist; `rebuilt`: it was damaged; `renewed`: it dropped removed commits; `fetched`: it was updated.
   * All but the last create a new generation.
   */
  outcome: 'created' | 'rebuilt' | 'renewed' | 'fetched';
}

/** Maximum size of packs for a renewal while a session waits; takes about a second. */
const quicklyRenewedBytes = 64 * 1024 ** 2;

const noLimits: CopyLimits = { mostBytes: Infinity, leaveBytes: 0 };

const runs = createSharedRuns<MirrorResult>();

/**
 * Updates a mirror's branches and tags from upstream. A small mirror drops removed commits at once, in a new generation;
 * {@link maintainMirror} does it for a large one. Concurrent callers in a process share a fetch, and processes of a host exclude
 * each other. Replaces a damaged mirror. Throws ProviderError if the remote fails.
 */
export async function syncMirror(options: MirrorOptions): Promise<MirrorResult> {
  const key = [options.path, String(options.rebuild ?? false), ...(options.commits ?? [])].join('\0');
  return runs.run(key, options.signal, (signal) =>
    withFileLock(`${options.path}.lock`, { timeoutMs: options.timeoutMs, signal }, (lock) =>
      syncLocked({ ...options, signal }, lock),
    ),
  );
}

async function syncLocked(options: MirrorOptions, lock: number): Promise<MirrorResult> {
  await adopt(options.path);
  const path = await newestOf(options.path);
  await removeLeftovers(options.path, path);
  if (path === undefined || options.rebuild === true || !(await isDirectory(join(path, 'objects')))) {
    await replace(options, lock);
    return { outcome: path === undefined ? 'created' : 'rebuilt' };
  }
  try {
    const outcome = await bringUpToDate({ ...options, path }, options.path, lock);
    if (outcome !== 'damaged') return { outcome };
  } catch (error) {
    // What was fetched of a pack would stay until the next update.
    await removeLeftovers(options.path, path);
    if (!(error instanceof GitError) || error instanceof TooLarge || (await isSound({ ...options, path }))) throw error;
  }
  await replace(options, lock);
  return { outcome: 'rebuilt' };
}

/** `options.path` is the newest generation. */
async function bringUpToDate(
  options: MirrorOptions,
  mirror: string,
  lock: number,
): Promise<'fetched' | 'renewed' | 'damaged'> {
  const before = await listRefs(options.path, 'refs/');
  if (!(await fetchAll(options, lock))) return 'damaged';
  const now = await listRefs(options.path, 'refs/');
  if (await isLost(options.path, before, now)) await noteLoss(options.path);
  await noteChanges(options.path, [...now].filter(([ref, id]) => before.get(ref) !== id).length);
  const path = await leaveBehind(options, mirror, lock);
  await fetchCommits({ ...options, path }, lock);
  return path === options.path ? 'fetched' : 'renewed';
}

/** Drops removed commits from a small mirror. Returns the newest generation, which may be the same. */
async function leaveBehind(options: MirrorOptions, mirror: string, lock: number): Promise<string> {
  const { path } = options;
  if (!hasLoss(path) || (await packedBytes(path)) > quicklyRenewedBytes) return path;
  try {
    return await renewLocked(mirror, path, { ...options, lock });
  } catch (error) {
    // The mirror itself is unchanged.
    if (error instanceof GitError || error instanceof DiskFull) return path;
    throw error;
  }
}

async function packedBytes(path: string): Promise<number> {
  const directory = join(path, 'objects/pack');
  const sizes = await Promise.all(
    (await names(directory)).map(async (name) => (await stat(join(directory, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Clones to a new directory, so that the mirror is never incomplete. */
async function replace(options: MirrorOptions, lock: number): Promise<void> {
  const fresh = `${options.path}.new-${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(options.path), { recursive: true });
  try {
    const { remote, timeoutMs } = options;
    await bounded(dirname(fresh), options, (bounds) =>
      cloneBare(fresh, remote, { timeoutMs, inherit: lock, ...bounds }),
    );
    const path = await publish(options.path, fresh);
    await fetchCommits({ ...options, path }, lock);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Git's messages about a damaged repository in a fetch that succeeds; borrowers of objects would fail later. */
const damage =
  /packfile .* (?:cannot|does not|is )|corrupt|garbage at end|not a valid object|unable to (?:read|unpack)|bad object|broken/i;

/** Fetches all refs. Returns false if git reports that the mirror is damaged. */
async function fetchAll(options: MirrorOptions, lock: number): Promise<boolean> {
  const complaints = await fetch(
    options,
    lock,
    ['--prune'],
    ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'],
  );
  await followHead(options);
  return !damage.test(complaints);
}

/** Fetches commits by id, which GitHub, GitLab and the built-in host allow even without a ref. */
async function fetchCommits(options: MirrorOptions, lock: number): Promise<void> {
  for (const commit of options.commits ?? []) {
    if (!isObjectId(commit) || (await resolveRef(options.path, commit)) !== undefined) continue;
    if (options.keepsCommits === true) await fetchKept(options, lock, commit);
    else {
      await noteLoss(options.path);
      await fetch(options, lock, [], [commit]);
    }
  }
}

const noSuchCommit = /not our ref|unadvertised object|couldn't find remote ref|no such remote ref/i;

async function fetchKept(options: MirrorOptions, lock: number, commit: string): Promise<void> {
  try {
    await fetch(options, lock, [], [`${commit}:refs/guildhall/commits/${commit}`]);
  } catch (error) {
    if (!(error instanceof GitError && noSuchCommit.test(error.stderr))) throw error;
  }
}

async function fetch(options: MirrorOptions, lock: number, flags: string[], specs: string[]): Promise<string> {
  const { url, config, secrets } = prepareRemote(options.remote);
  const fixed = ['--quiet', '--no-write-fetch-head', '--no-auto-maintenance', '--no-tags', '--recurse-submodules=no'];
  const { path: gitDir, timeoutMs } = options;
  const { stderr } = await bounded(gitDir, options, (bounds) =>
    git(['fetch', ...fixed, ...flags, '--end-of-options', url, ...specs], {
      gitDir,
      config,
      secrets,
      timeoutMs,
      inherit: lock,
      ...bounds,
    }),
  );
  return stderr;
}

function bounded<T>(
  directory: string,
  { within = noLimits, signal }: MirrorOptions,
  work: Parameters<typeof withinLimits<T>>[2],
) {
  return withinLimits(directory, { ...within, signal }, work);
}

/** Reads the remote's default branch, but only if HEAD's branch no longer exists, to save a round trip. */
async function followHead(options: MirrorOptions): Promise<void> {
  if (await hasHead(options.path)) return;
  if ((await listRefs(options.path, 'refs/heads/')).size === 0) return;
  const { url, config, secrets } = prepareRemote(options.remote);
  const { stdout } = await git(['ls-remote', '--symref', '--end-of-options', url, 'HEAD'], {
    config,
    secrets,
    timeoutMs: options.timeoutMs,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const head = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(stdout)?.[1];
  if (head !== undefined && isBranchName(head)) await git(['symbolic-ref', 'HEAD', head], { gitDir: options.path });
}

/** Returns true if HEAD names an existing branch. */
async function hasHead(path: string): Promise<boolean> {
  const head = await readFile(join(path, 'HEAD'), 'utf8').catch(() => '');
  const branch = /^ref: refs\/heads\/(\S+)$/m.exec(head)?.[1];
  return branch !== undefined && (await readBranch(path, branch)) !== undefined;
}

/** Returns true if git can read everything that the refs reach. Slow on a large repository, so called only after a failure. */
async function isSound(options: MirrorOptions): Promise<boolean> {
  const { exitCode } = await git(['rev-list', '--objects', '--all', '--quiet'], {
    gitDir: options.path,
    okExitCodes: [0, 1, 128],
    timeoutMs: options.timeoutMs,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return exitCode === 0;
}

/**
 * Removes leftovers of a killed process. We hold the lock, which a running git would keep too, so every lock file and temporary
 * pack found now is stale.
 */
async function removeLeftovers(mirror: string, path: string | undefined): Promise<void> {
  const beside = await names(dirname(mirror));
  const own = beside.filter((name) => name.startsWith(`${basename(mirror)}.`));
  const stale = own.filter((name) => name.endsWith('.link') || name.startsWith(`${basename(mirror)}.new-`));
  await Promise.all(stale.map((name) => rm(join(dirname(mirror), name), { recursive: true, force: true })));
  if (path === undefined) return;
  const packs = (await names(join(path, 'objects/pack'))).filter(
    (name) => name.startsWith('tmp_') || name.startsWith('.tmp-'),
  );
  const locks = (await names(path)).filter((name) => name.endsWith('.lock'));
  const refs = (await names(join(path, 'refs'), true)).filter((name) => name.endsWith('.lock'));
  const gone = [
    ...packs.map((name) => join(path, 'objects/pack', name)),
    ...locks.map((name) => join(path, name)),
    ...refs.map((name) => join(path, 'refs', name)),
  ];
  await Promise.all(gone.map((name) => rm(name, { recursive: true, force: true })));
}

async function names(directory: string, recursive = false): Promise<string[]> {
  try {
    return await readdir(directory, { recursive });
  } catch {
    return [];
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
