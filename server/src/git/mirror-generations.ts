import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readlink, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { lockFile, unlessLocked, withFileLock } from '../lib/file-lock.ts';
import { requireFree, withinLimits, type CopyLimits } from './copy-limits.ts';
import { sizeOnDisk } from './disk-use.ts';
import { git, type GitConfig } from './native.ts';
import { hasManyPacks, isDue, packLoose } from './packing.ts';

/*
 * A mirror is a symlink to the newest of its generations, bare repositories at `<mirror>.<12 hexadecimal digits>`. Sandboxes
 * borrow objects from a generation and can list them, so a generation never loses objects. Commits that upstream removed are
 * dropped by a new generation, which has only what refs reach; the old one is removed when no attempt uses it.
 */

const generation = /\.[0-9a-f]{12}$/;
const noLimit = { leaveBytes: 0 };
/** Minimum interval between two renewals of a mirror in the background. */
const renewalMs = 60 * 60_000;

/** A generation that is kept until it is released; objects may be added, but not removed. */
export interface HeldMirror {
  readonly path: string;
  release(): Promise<void>;
}

/** Returns the newest generation of a mirror; undefined if there is none. */
export async function newestOf(mirror: string): Promise<string | undefined> {
  const target = await readlink(mirror).catch(() => undefined);
  return target === undefined ? undefined : join(dirname(mirror), basename(target));
}

/** Retains the newest generation of a mirror; undefined if there is none. The end of the process releases it too. */
export async function holdMirror(mirror: string): Promise<HeldMirror | undefined> {
  for (;;) {
    const path = await newestOf(mirror);
    if (path === undefined || !existsSync(path)) return undefined;
    const lock = await lockFile(`${path}.lock`, { timeoutMs: 60_000, shared: true });
    // It may have been removed before the lock was taken.
    if (existsSync(path)) return { path, release: lock.release };
    await lock.release();
    await rm(`${path}.lock`, { force: true });
  }
}

/** Makes a complete repository the newest generation. The caller must hold the mirror's lock. */
export async function publish(mirror: string, repository: string): Promise<string> {
  const path = `${mirror}.${randomBytes(6).toString('hex')}`;
  const link = `${path}.link`;
  await writeFile(`${path}.lock`, '', { mode: 0o600 });
  await rename(repository, path);
  await symlink(basename(path), link);
  await rename(link, mirror);
  return path;
}

/** Converts a mirror of an older version, a directory, into a generation. The caller must hold the mirror's lock. */
export async function adopt(mirror: string): Promise<void> {
  const isDirectory = await stat(mirror).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isDirectory || (await newestOf(mirror)) !== undefined) return;
  const old = `${mirror}.new-adopted`;
  await rename(mirror, old);
  await noteLoss(await publish(mirror, old));
}

/** Records that a generation has commits that no ref reaches. */
export async function noteLoss(path: string): Promise<void> {
  await writeFile(`${path}.lost`, '');
}

export function hasLoss(path: string): boolean {
  return existsSync(`${path}.lost`);
}

/** Returns true if refs no longer reach earlier commits, because they were reset or deleted. */
export async function isLost(
  path: string,
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): Promise<boolean> {
  const still = new Set(now.values());
  const gone = [...before].filter(([, id]) => !still.has(id));
  if (gone.length === 0) return false;
  if (gone.some(([ref]) => ref.startsWith('refs/tags/'))) return true;
  const { stdout } = await git(['rev-list', '--max-count=1', '--stdin', '--not', '--all'], {
    gitDir: path,
    input: gone.map(([, id]) => `${id}\n`).join(''),
  });
  return stdout !== '';
}

interface RenewOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  /** The mirror's lock, if the caller holds it. */
  lock?: number;
  /** Limit for the disk; none by default. */
  within?: Pick<CopyLimits, 'leaveBytes'>;
}

/**
 * Creates a new generation with the commits that refs reach, and returns its path. The caller must hold the mirror's lock. Throws
 * {@link DiskFull}.
 */
export async function renewLocked(mirror: string, path: string, options: RenewOptions): Promise<string> {
  const fresh = `${mirror}.new-${randomBytes(6).toString('hex')}`;
  try {
    await copyReached(path, fresh, options);
    return await publish(mirror, fresh);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/**
 * Does the same for a large mirror, which stays in use and is updated meanwhile. Does nothing while another process renews the
 * mirror, or if there is nothing to drop.
 */
async function renewBeside(mirror: string, options: RenewOptions): Promise<void> {
  await unlessLocked(`${mirror}.renewal.lock`, {}, async () => {
    const fresh = `${mirror}.renewal`;
    const held = await holdMirror(mirror);
    try {
      if (held === undefined || !hasLoss(held.path) || (await ageMs(`${held.path}.lock`)) < renewalMs) return;
      // The lock's time delays the next attempt after a failure.
      await utimes(`${held.path}.lock`, new Date(), new Date());
      await rm(fresh, { recursive: true, force: true });
      await requireFree(dirname(mirror), await sizeOnDisk(held.path), options.within ?? noLimit);
      await copyReached(held.path, fresh, options);
      await withFileLock(`${mirror}.lock`, options, async (lock) => {
        if ((await newestOf(mirror)) !== held.path) return;
        // Copies updates that arrived meanwhile.
        await copyReached(held.path, fresh, { ...options, lock });
        await publish(mirror, fresh);
      });
    } finally {
      await held?.release();
      await rm(fresh, { recursive: true, force: true });
    }
  });
}

/**
 * Drops commits that upstream removed from a mirror, unless that was done at once, packs what small fetches brought, and removes
 * unused generations. `names` are the entries of its directory. Throws git's failure, and {@link DiskFull}, after the removal.
 */
export async function maintainMirror(mirror: string, names: readonly string[], options: RenewOptions): Promise<void> {
  const newest = await newestOf(mirror);
  if (newest === undefined) return;
  try {
    await pack(mirror, newest, options);
    if (hasLoss(newest)) await renewBeside(mirror, options);
  } finally {
    await removeOld(mirror, names, newest);
  }
}

/** A session may wait for an update of the mirror meanwhile. */
const packTimeoutMs = 20_000;

async function pack(mirror: string, path: string, { within = noLimit, signal }: RenewOptions): Promise<void> {
  const options = { ...within, timeoutMs: packTimeoutMs, ...(signal === undefined ? {} : { signal }) };
  // The renewal makes one of them, and does not keep sessions waiting.
  if (await hasManyPacks(path)) await noteLoss(path);
  if (!(await isDue(path))) return;
  await unlessLocked(`${mirror}.lock`, {}, async (lock) => {
    if ((await newestOf(mirror)) === path) await packLoose(path, { ...options, lock });
  });
}

async function removeOld(mirror: string, names: readonly string[], newest: string): Promise<void> {
  const all = names.map((name) => join(dirname(mirror), name));
  const old = all.filter((path) => path.startsWith(`${mirror}.`) && generation.test(path) && path !== newest);
  if (old.length === 0) return;
  // Under the lock, because during an update a new generation exists before the symlink points to it.
  await unlessLocked(`${mirror}.lock`, {}, async () => {
    const current = await newestOf(mirror);
    for (const path of old.filter((one) => one !== current))
      await unlessLocked(`${path}.lock`, {}, async () => {
        for (const gone of [path, `${path}.lost`, `${path}.lock`]) await rm(gone, { recursive: true, force: true });
      });
  });
}

/** Copies the refs of `from` and everything they reach to `to`; both are bare repositories. */
async function copyReached(from: string, to: string, options: RenewOptions): Promise<void> {
  const { within = noLimit, signal } = options;
  const limits = { mostBytes: Infinity, ...within, signal };
  await withinLimits(dirname(to), limits, (bounds) => copyUntil(from, to, { ...options, signal: bounds.signal }));
}

async function copyUntil(from: string, to: string, { timeoutMs, signal, lock }: RenewOptions): Promise<void> {
  const config: GitConfig = [
    ['protocol.file.allow', 'always'],
    ['fetch.unpackLimit', '1'],
  ];
  const options = {
    config,
    timeoutMs,
    ...(lock === undefined ? {} : { inherit: lock }),
    ...(signal === undefined ? {} : { signal }),
  };
  await mkdir(to, { recursive: true });
  await git(['init', '--quiet', '--bare', '--template=', '--', to], options);
  const flags = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  const refs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
  await git(['fetch', ...flags, '--recurse-submodules=no', '--end-of-options', from, ...refs], {
    ...options,
    gitDir: to,
  });
  const head = await git(['symbolic-ref', 'HEAD'], { gitDir: from });
  await git(['symbolic-ref', 'HEAD', head.stdout.trim()], { gitDir: to });
}

async function ageMs(file: string): Promise<number> {
  return Date.now() - (await stat(file)).mtimeMs;
}
