import type { Branch } from '../../git/bare.ts';
import { mergeBase, resolveRef } from '../../git/bare.ts';
import { diffBetween, type Diff } from '../../git/diff.ts';
import { findBranches, findPaths, type Found, type PathPlace } from '../../git/listings.ts';
import { mergeability } from '../../git/merge-tree.ts';
import { requireObjectId } from '../../git/names.ts';
import { openTree, type Tree } from '../../git/tree.ts';
import type { DiffCache } from './diff-cache.ts';

/** Reads a bare repository. Refs are branch names, tags or commits; they are validated, and never become options of git. */
export interface RepositoryReader {
  /** The bare repository's path. */
  readonly directory: string;
  /** Lists branches by name that contain `search`, behind the name `after`. */
  findBranches(options: { search: string; after?: string | undefined; limit: number }): Promise<Found<Branch>>;
  /** Lists paths of a commit that contain `search`. */
  findPaths(
    commit: string,
    options: { search: string; after?: PathPlace | undefined; limit: number },
  ): Promise<Found<{ path: string; place: PathPlace }>>;
  /** Resolves a branch, tag or commit id to a commit. */
  resolve(ref: string): Promise<string | undefined>;
  /** Returns the files of a commit at paths and below them; `''` is the root. */
  tree(commit: string, paths: readonly string[], maxEntries: number): Promise<Tree>;
  mergeBase(one: string, other: string): Promise<string | undefined>;
  /** Compares commits by their full ids. The result is shared and must not be changed. */
  diff(base: string, head: string): Promise<Diff>;
  mergeability(base: string, head: string): Promise<'clean' | 'conflict'>;
}

/** Opens a bare repository. `key` identifies it in the cache of diffs; default: its directory. */
export function openReader(directory: string, diffs: DiffCache, key = directory): RepositoryReader {
  return {
    directory,
    findBranches: (options) => findBranches(directory, options),
    findPaths: (commit, options) => findPaths(directory, commit, options),
    resolve: (ref) => resolveRef(directory, ref),
    tree: (commit, directories, maxEntries) => openTree(directory, commit, directories, maxEntries),
    mergeBase: (one, other) => mergeBase(directory, one, other),
    diff: (base, head) =>
      diffs.get(`${key} ${requireObjectId(base)} ${requireObjectId(head)}`, () => diffBetween(directory, base, head)),
    mergeability: (base, head) => mergeability(directory, base, head),
  };
}
