import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObjectId, requireObjectId } from './names.ts';
import { git, gitFailure } from './native.ts';

/** Checks if two commits merge without conflict; writes nothing to the repository. Unrelated histories conflict. */
export async function mergeability(path: string, base: string, head: string): Promise<'clean' | 'conflict'> {
  return 'tree' in (await trialMerge(path, base, head)) ? 'clean' : 'conflict';
}

/** Returns at most 100 paths that conflict when two commits are merged; writes nothing to the repository. */
export async function conflictPaths(path: string, base: string, head: string): Promise<string[]> {
  const merged = await trialMerge(path, base, head);
  return 'tree' in merged ? [] : merged.paths;
}

async function trialMerge(path: string, base: string, head: string): ReturnType<typeof mergeTree> {
  const scratch = await mkdtemp(join(tmpdir(), 'guildhall-merge-'));
  try {
    const env = { GIT_OBJECT_DIRECTORY: scratch, GIT_ALTERNATE_OBJECT_DIRECTORIES: join(path, 'objects') };
    return await mergeTree(path, requireObjectId(base), requireObjectId(head), env);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Merges two commits without a work tree. Returns the merged tree, or at most 100 paths in conflict. */
export async function mergeTree(
  path: string,
  base: string,
  head: string,
  env: Record<string, string> = {},
): Promise<{ tree: string } | { paths: string[] }> {
  const args = ['merge-tree', '--write-tree', '--no-messages', '--name-only', '-z', base, head];
  const { exitCode, stdout, stderr } = await git(args, {
    gitDir: path,
    env,
    okExitCodes: [0, 1, 128],
    timeoutMs: 120_000,
  });
  const [tree = '', ...paths] = stdout.split('\0');
  if (exitCode === 0 && isObjectId(tree)) return { tree };
  // git also exits with 1, without a tree, if a commit is missing.
  if (isObjectId(tree)) return { paths: paths.filter((name) => name !== '').slice(0, 100) };
  if (stderr.includes('unrelated histories')) return { paths: [] };
  throw gitFailure('merge-tree', exitCode, stderr);
}
