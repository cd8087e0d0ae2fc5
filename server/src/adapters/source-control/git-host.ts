import type { Branch } from '../../git/bare.ts';
import type { Diff } from '../../git/diff.ts';
import type { GitRemote } from '../../git/remote.ts';
import type { Tree } from '../../git/tree.ts';
import type { RefUpdate, Served, ServeOptions } from './local/exchange.ts';
import type { MergeInput, MergeResult } from './local/merge.ts';

/** Bare repositories in one directory that all API processes share: what only the built-in git host can do. */
export interface GitHost {
  /** A repository by its ids, whether or not it exists yet. */
  open(orgId: string, repositoryId: string): HostedRepository;
  /** Removes every repository of an organization. */
  removeAll(orgId: string): Promise<void>;
  /** Throws a ProviderError when the directory cannot be written. */
  verify(): Promise<void>;
}

/** One bare repository. Refs are branch names, tags or commits; what a caller sends is checked, never an option. */
export interface HostedRepository {
  create(defaultBranch: string): Promise<void>;
  /** Stops where a file would have more than `maxBytes`: all that comes is in one. */
  import(
    remote: GitRemote,
    options: { timeoutMs: number; maxBytes?: number; signal?: AbortSignal },
  ): Promise<{ defaultBranch: string }>;
  remove(): Promise<void>;
  /** What it takes on disk; 0 when there is none. */
  sizeBytes(): Promise<number>;
  /** Undefined when there is no repository. */
  defaultBranch(): Promise<string | undefined>;
  setDefaultBranch(branch: string): Promise<void>;
  branches(): Promise<Branch[]>;
  /** The commit that a branch, tag or commit id names. */
  resolve(ref: string): Promise<string | undefined>;
  /** The files of a commit below directories; `''` is the top. */
  tree(commit: string, directories: readonly string[], maxEntries: number): Promise<Tree>;
  mergeBase(one: string, other: string): Promise<string | undefined>;
  /** Between commits by their whole ids; the answer is shared, and not to be changed. */
  diff(base: string, head: string): Promise<Diff>;
  mergeability(base: string, head: string): Promise<'clean' | 'conflict'>;
  /** Throws a Refusal `merge_conflict`, `branch_moved`, `branch_missing`. */
  merge(input: MergeInput): Promise<MergeResult>;
  /** The commit that {@link merge} made for a change request, while the branch holds it. */
  merged(number: number, baseBranch: string): Promise<string | undefined>;
  /** Removes for good what refs lost before an instant and `keep` does not answer; answers whether there was any. */
  prune(before: Date, keep: () => Promise<readonly string[]>): Promise<boolean>;
  /** Answers one request of git's smart HTTP protocol. */
  serve(options: Omit<ServeOptions, 'repositoryPath'>): Promise<Served>;
}

export type { RefUpdate };
