import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderError } from '../../../lib/errors.ts';
import { ProgramFailed, runProgram } from '../../../lib/program.ts';
import {
  defaultBranchOf,
  importBare,
  initBare,
  largestImportBytes,
  listBranches,
  mergeBase,
  resolveRef,
  setDefaultBranch,
} from '../../../git/bare.ts';
import { diffBetween } from '../../../git/diff.ts';
import { commitFirst } from '../../../git/first-commit.ts';
import { findBranches, findPaths } from '../../../git/listings.ts';
import type { GitHost, HostedRepository } from '../git-host.ts';
import { requireObjectId } from '../../../git/names.ts';
import { createDiffCache } from './diff-cache.ts';
import { serveGit } from './http-backend.ts';
import { pruneLost } from './lost-commits.ts';
import { merge, mergeability, findMerge } from './merge.ts';
import { searchPath } from '../../../git/native.ts';
import { openTree } from '../../../git/tree.ts';

/** Creates the built-in git host, with bare repositories at `<root>/<organization>/<repository>.git`. */
export function createLocalHost(root: string): GitHost {
  const diffs = createDiffCache();
  return {
    open: (orgId, repositoryId) => openRepository(join(root, orgId, `${repositoryId}.git`), diffs),
    removeAll: (orgId) => rm(join(root, orgId), { recursive: true, force: true }),
    async verify() {
      try {
        await mkdir(join(root, '.verify'), { recursive: true });
        await rm(join(root, '.verify'), { recursive: true });
      } catch (error) {
        throw new ProviderError('The directory of the built-in git host is not writable.', {
          retryable: true,
          cause: error,
        });
      }
    },
  };
}

/** Measures with du in a process of its own, because a push may leave as many files as it has objects. */
async function sizeOnDisk(path: string): Promise<number> {
  if (!existsSync(path)) return 0;
  const options = { env: { PATH: searchPath }, timeoutMs: 120_000 };
  const { stdout } = await runProgram(['du', '-sk', path], options).catch((error: unknown) => {
    // du fails if git removes files during the count, but prints its result anyway.
    if (error instanceof ProgramFailed && error.reason === 'failed' && /^\d+\t/.test(error.stdout)) return error;
    throw error;
  });
  return 1024 * Number.parseInt(stdout, 10);
}

function openRepository(path: string, diffs: ReturnType<typeof createDiffCache>): HostedRepository {
  return {
    async create(defaultBranch, first) {
      await initBare(path, { defaultBranch });
      if (first !== undefined) await commitFirst(path, defaultBranch, first);
    },
    import: (remote, { maxBytes = Infinity, ...options }) =>
      importBare(path, remote, { ...options, limits: { fileBytes: Math.min(maxBytes, largestImportBytes) } }),
    remove: () => rm(path, { recursive: true, force: true }),
    sizeBytes: () => sizeOnDisk(path),
    defaultBranch: async () => (existsSync(path) ? defaultBranchOf(path) : undefined),
    setDefaultBranch: (branch) => setDefaultBranch(path, branch),
    branches: () => listBranches(path),
    findBranches: (options) => findBranches(path, options),
    findPaths: (commit, options) => findPaths(path, commit, options),
    resolve: (ref) => resolveRef(path, ref),
    tree: (commit, directories, maxEntries) => openTree(path, commit, directories, maxEntries),
    mergeBase: (one, other) => mergeBase(path, one, other),
    diff: (base, head) =>
      diffs.get(`${path} ${requireObjectId(base)} ${requireObjectId(head)}`, () => diffBetween(path, base, head)),
    mergeability: (base, head) => mergeability(path, base, head),
    merge: (input) => merge(path, input),
    merged: (number, baseBranch) => findMerge(path, number, baseBranch),
    prune: (before, keep) => pruneLost(path, before, keep),
    serve: (options) => serveGit({ ...options, repositoryPath: path }),
  };
}
