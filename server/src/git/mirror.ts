import type { WriteStream } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { cloneBare, listRefs, resolveRef } from './bare.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { adopt, hasLoss, isLost, newestOf, noteLoss, publish, renewLocked } from './mirror-generations.ts';
import { git, GitError } from './native.ts';
import { isBranchName, isObjectId } from './names.ts';
import { prepareRemote } from './remote.ts';
import { createSharedRuns } from './shared-run.ts';
import type { GitRemote } from './remote.ts';

export interface MirrorOptions {
  /** Its present or future path; {@link holdMirror} returns the repository. Its lock is `<path>.lock` beside it. */
  path: string;
  remote: GitRemote;
  /** Commits that must be there afterwards although no branch may hold them any more (a resumed session's base). */
  commits?: readonly string[];
  timeoutMs: number;
  signal?: AbortSignal;
  /** Start anew although the mirror looks sound, e.g. after a clone of it failed. */
  rebuild?: boolean;
}

export interface MirrorResult {
  /**
   * `created`: there was none; `rebuilt`: it was damaged; `renewed`: it left something behind; `fetched`: it was brought up
   * to date. All but the last are a new generation.
   */
  outcome: 'created' | 'rebuilt' | 'renewed' | 'fetched';
}

/** Bytes of packs that are packed anew while a session waits for it: a second or so. */
const quicklyRenewedBytes = 64 * 1024 ** 2;

/** A host that an organization is connected to sends what it likes, in one file. */
const limits = { fileBytes: 16 * 1024 ** 3 };

const runs = createSharedRuns<MirrorResult>();

/**
 * Brings the mirror of an upstream repository up to date: its branches and tags, nothing else. What upstream took back is
 * not in the next generation of a small mirror; {@link tendMirror} makes one of a large mirror. Callers of one process share
 * a fetch; processes of one host exclude each other; a damaged mirror is replaced whole. ProviderError when the remote fails.
 */
export async function syncMirror(options: MirrorOptions): Promise<MirrorResult> {
  const key = [options.path, String(options.rebuild ?? false), ...(options.commits ?? [])].join('\0');
  return runs.run(key, options.signal, (signal) =>
    withFileLock(`${options.path}.lock`, { timeoutMs: options.timeoutMs, signal }, (lock) =>
      syncLocked({ ...options, signal }, lock),
    ),
  );
}

async function syncLocked(options: MirrorOptions, lock: WriteStream): Promise<MirrorResult> {
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
    if (!(error instanceof GitError) || (await isSound({ ...options, path }))) throw error;
  }
  await replace(options, lock);
  return { outcome: 'rebuilt' };
}

/** `options.path` is the newest generation. */
async function bringUpToDate(
  options: MirrorOptions,
  mirror: string,
  lock: WriteStream,
): Promise<'fetched' | 'renewed' | 'damaged'> {
  const before = await listRefs(options.path, 'refs/');
  if (!(await fetchAll(options, lock))) return 'damaged';
  if (await isLost(options.path, before)) await noteLoss(options.path);
  const path = await leaveBehind(options, mirror, lock);
  await fetchCommits({ ...options, path }, lock);
  return path === options.path ? 'fetched' : 'renewed';
}

/** Answers the newest generation, which may be the same. */
async function leaveBehind(options: MirrorOptions, mirror: string, lock: WriteStream): Promise<string> {
  const { path } = options;
  if (!hasLoss(path) || (await packedBytes(path)) > quicklyRenewedBytes) return path;
  try {
    return await renewLocked(mirror, path, { ...options, lock });
  } catch (error) {
    // The mirror itself is as good as before.
    if (error instanceof GitError) return path;
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

/** Clones beside the old mirror, so that nobody ever sees half of one. */
async function replace(options: MirrorOptions, lock: WriteStream): Promise<void> {
  const fresh = `${options.path}.new-${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(options.path), { recursive: true });
  try {
    await cloneBare(fresh, options.remote, {
      timeoutMs: options.timeoutMs,
      inherit: lock,
      limits,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const path = await publish(options.path, fresh);
    await fetchCommits({ ...options, path }, lock);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Messages in which git reports a damaged repository while the fetch goes on, which would make borrowers fail later. */
const damage =
  /packfile .* (?:cannot|does not|is )|corrupt|garbage at end|not a valid object|unable to (?:read|unpack)|bad object|broken/i;

/** False when git got everything, but found the mirror damaged on the way. */
async function fetchAll(options: MirrorOptions, lock: WriteStream): Promise<boolean> {
  const complaints = await fetch(
    options,
    lock,
    ['--prune'],
    ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'],
  );
  await followHead(options);
  return !damage.test(complaints);
}

/** A server that has the commit gives it although no ref names it (GitHub, GitLab and the built-in host do). */
async function fetchCommits(options: MirrorOptions, lock: WriteStream): Promise<void> {
  for (const commit of options.commits ?? []) {
    if (isObjectId(commit) && (await resolveRef(options.path, commit)) === undefined) {
      await noteLoss(options.path);
      await fetch(options, lock, [], [commit]);
    }
  }
}

async function fetch(options: MirrorOptions, lock: WriteStream, flags: string[], specs: string[]): Promise<string> {
  const { url, config, secrets } = prepareRemote(options.remote);
  const fixed = ['--quiet', '--no-write-fetch-head', '--no-auto-maintenance', '--no-tags', '--recurse-submodules=no'];
  const { stderr } = await git(['fetch', ...fixed, ...flags, '--end-of-options', url, ...specs], {
    gitDir: options.path,
    config,
    secrets,
    timeoutMs: options.timeoutMs,
    inherit: lock,
    limits,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return stderr;
}

/** Asks the remote for its default branch, but only when the one HEAD names is gone: the question costs a round trip. */
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

/**
 * The commit at the tip of a branch of a mirror; undefined when there is none. Read from the files that only we write,
 * which saves a process.
 */
export async function readBranch(path: string, branch: string): Promise<string | undefined> {
  if (!isBranchName(branch)) return undefined;
  const read = (name: string) => readFile(join(path, name), 'utf8').catch(() => '');
  const loose = (await read(`refs/heads/${branch}`)).trim();
  if (isObjectId(loose)) return loose;
  const ending = ` refs/heads/${branch}`;
  const packed = (await read('packed-refs')).split('\n').find((line) => line.endsWith(ending));
  const commit = packed?.slice(0, -ending.length) ?? '';
  return isObjectId(commit) ? commit : undefined;
}

/** Returns true if git can walk everything the refs reach. Slow on a large repository, so called only after a failure. */
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
 * What a killed process left. We hold the lock, and git keeps it as long as it lives: every lock file and temporary pack
 * found now belongs to nobody.
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
