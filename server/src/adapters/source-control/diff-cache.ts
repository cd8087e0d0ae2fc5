import { createCommitCache, type CommitCache } from '../../git/commit-cache.ts';
import type { Diff } from '../../git/diff.ts';

/** Limits for cached diffs in memory: two bytes per character, and an overhead per file. */
const maxBytes = 64 * 1024 * 1024;
const bytesAround = 500;

export type DiffCache = CommitCache<Diff>;

/** Caches diffs of two commits. */
export function createDiffCache(limitBytes = maxBytes): DiffCache {
  return createCommitCache(limitBytes, sizeOf);
}

function sizeOf({ files }: Diff): number {
  return files.reduce(
    (sum, { path, old_path, patch }) => sum + 2 * (path.length + old_path.length + patch.length) + bytesAround,
    bytesAround,
  );
}
