import { existsSync } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessLocked, withFileLock } from '../lib/file-lock.ts';
import { withinLimits } from './copy-limits.ts';
import { git, type GitConfig } from './native.ts';

/*
 * Each push and each small fetch adds refs and objects as files of their own. Git reads all of these refs, and the commits
 * that they name, at every push and fetch, which takes ten times as long as reading a pack (docs/adr/0097).
 */

/** Its modification time is when the repository was last packed. */
const stamp = 'guildhall-packed';
/** Marks a repository that is due, see {@link noteChanges}. */
const mark = 'guildhall-unpacked';
const manyRefs = 100;
/** With more packs, git looks too long for an object. */
const mostPacks = 50;

const config: GitConfig = [
  ['pack.threads', '1'],
  ['pack.windowMemory', '256m'],
];

export interface PackOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  /** Packing is stopped when less than this is free on the disk: a pack needs space before it saves some. */
  leaveBytes: number;
  /** A lock that git inherits, so that it lasts until git ends. */
  lock?: number;
}

/** Notes that so many refs of a repository changed at once. If they are many, it is due, whatever objects came with them. */
export async function noteChanges(path: string, refs: number): Promise<void> {
  if (refs >= manyRefs) await writeFile(join(path, mark), '');
}

/**
 * Packs the refs and objects of a bare repository if about 256 objects came since the last time, or many refs at once. No object
 * is removed. Returns false if there was nothing to do, or another process does it. Throws git's failure, and `DiskFull`.
 */
export async function packIfDue(path: string, options: PackOptions): Promise<boolean> {
  if (!(await isDue(path))) return false;
  let isDone = false;
  await unlessLocked(lockOf(path), { existing: true }, async (lock) => {
    await packLoose(path, { ...options, lock });
    // Keeps what no ref reaches as files of their own, as old as their packs.
    if (await hasManyPacks(path)) await run(path, ['repack', '-A', '-d', '-n', '-q'], { ...options, lock });
    isDone = true;
  });
  return isDone;
}

/** Runs `work` while nobody packs the repository. */
export async function withoutPacking<T>(
  path: string,
  timeoutMs: number,
  work: (lock: number) => Promise<T>,
): Promise<T> {
  return withFileLock(lockOf(path), { timeoutMs, existing: true }, work);
}

/** A file that every repository has, and nobody replaces. A lock file of its own could bring a deleted repository back. */
function lockOf(path: string): string {
  return join(path, 'config');
}

/** Packs the refs and objects of a repository that the caller has locked, and leaves its packs as they are. */
export async function packLoose(path: string, options: PackOptions): Promise<void> {
  await rm(join(path, mark), { force: true });
  await removeLeftovers(join(path, 'objects/pack'));
  try {
    await run(path, ['pack-refs', '--all'], options);
    await run(path, ['repack', '-d', '-n', '-q'], options);
  } finally {
    // After a failure too: the next attempt follows once more objects came.
    await writeFile(join(path, stamp), '');
  }
}

/** Removes what a killed `git repack` left; a running one would hold the lock. */
async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith('.tmp-')) await rm(join(directory, name), { force: true });
}

async function run(path: string, args: string[], { lock, timeoutMs, leaveBytes, signal }: PackOptions): Promise<void> {
  await withinLimits(path, { mostBytes: Infinity, leaveBytes, signal }, (bounds) =>
    git(args, { gitDir: path, config, timeoutMs, ...bounds, ...(lock === undefined ? {} : { inherit: lock }) }),
  );
}

/** True if the repository has so many packs that they should become one. */
export async function hasManyPacks(path: string): Promise<boolean> {
  const names = await readdir(join(path, 'objects/pack')).catch(() => []);
  return names.filter((name) => name.endsWith('.pack')).length > mostPacks;
}

/** Estimates it as git does, by one of the 256 directories that objects enter at random. */
export async function isDue(path: string): Promise<boolean> {
  if (existsSync(join(path, mark))) return true;
  const changed = await timeOf(join(path, 'objects/17'));
  return changed > 0 && changed > (await timeOf(join(path, stamp)));
}

async function timeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
