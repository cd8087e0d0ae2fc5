import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ProviderError } from '../../../lib/errors.ts';
import {
  defaultBranchOf,
  importBare,
  initBare,
  largestImportBytes,
  listBranches,
  setDefaultBranch,
} from '../../../git/bare.ts';
import { withinLimits } from '../../../git/copy-limits.ts';
import { sizeOnDisk } from '../../../git/disk-use.ts';
import { commitFirst } from '../../../git/first-commit.ts';
import type { GitHost, HostedRepository } from '../git-host.ts';
import { createDiffCache, type DiffCache } from '../diff-cache.ts';
import { openReader } from '../reader.ts';
import { deleteBranch } from './delete-branch.ts';
import { serveGit } from './http-backend.ts';
import { discard, listUnrecorded, markNew, removeLeftovers, unmark } from './leftovers.ts';
import { pruneLost } from './lost-commits.ts';
import { merge, findMerge } from './merge.ts';
import { createPacker, type Packer, type PackerOptions } from './packer.ts';

/** Creates the built-in git host, with bare repositories at `<root>/<organization>/<repository>.git`. */
export function createLocalHost(root: string, options: PackerOptions): GitHost {
  const diffs = createDiffCache();
  const packer = createPacker(options);
  return {
    open: (orgId, repositoryId) => openRepository(join(root, orgId, `${repositoryId}.git`), diffs, packer),
    close: () => packer.close(),
    removeAll: (orgId) => rm(join(root, orgId), { recursive: true, force: true }),
    unrecorded: (before) => listUnrecorded(root, before),
    removeLeftovers: (before) => removeLeftovers(root, before),
    async verify() {
      try {
        await mkdir(root, { recursive: true });
        // A name of its own, because several requests can verify at once.
        await rmdir(await mkdtemp(join(root, '.verify-')));
      } catch (error) {
        throw new ProviderError('The directory of the built-in git host is not writable.', {
          retryable: true,
          cause: error,
        });
      }
    },
  };
}

function openRepository(path: string, diffs: DiffCache, packer: Packer): HostedRepository {
  return {
    ...openReader(path, diffs),
    async create(defaultBranch, first) {
      await markNew(path);
      await initBare(path, { defaultBranch });
      if (first !== undefined) await commitFirst(path, defaultBranch, first);
    },
    async import(remote, { timeoutMs, signal, mostBytes = Infinity, leaveBytes = 0 }) {
      await markNew(path);
      const limits = { mostBytes: Math.min(mostBytes, largestImportBytes), leaveBytes, signal };
      try {
        return await withinLimits(dirname(path), limits, (bounds) =>
          importBare(path, remote, { timeoutMs, ...bounds }),
        );
      } catch (error) {
        await unmark(path);
        throw error;
      }
    },
    exists: () => existsSync(path),
    noteRecorded: () => unmark(path),
    discard: () => discard(path),
    async remove() {
      await rm(path, { recursive: true, force: true });
      await unmark(path);
    },
    sizeBytes: () => sizeOnDisk(path),
    defaultBranch: async () => (existsSync(path) ? defaultBranchOf(path) : undefined),
    setDefaultBranch: (branch) => setDefaultBranch(path, branch),
    branches: () => listBranches(path),
    deleteBranch: (branch) => deleteBranch(path, branch, new Date()),
    merge: (input) => merge(path, input),
    merged: (number, baseBranch) => findMerge(path, number, baseBranch),
    prune: (before, keep) => pruneLost(path, before, keep),
    async serve(options) {
      const served = await serveGit({ ...options, repositoryPath: path });
      if (served.updates.length > 0) packer.packSoon(path, served.updates.length);
      return served;
    },
  };
}
