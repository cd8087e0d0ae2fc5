import type { Branch } from '../../git/bare.ts';
import type { CopyLimits } from '../../git/copy-limits.ts';
import type { FirstCommit } from '../../git/first-commit.ts';
import type { GitRemote } from '../../git/remote.ts';
import type { RefUpdate, Served, ServeOptions } from './local/exchange.ts';
import type { MergeInput, MergeResult } from './local/merge.ts';
import type { RepositoryReader } from './reader.ts';

/** The built-in git host: bare repositories in one directory that all API processes share. */
export interface GitHost {
  /** Returns a repository by its ids, also one that does not exist yet. */
  open(orgId: string, repositoryId: string): HostedRepository;
  /** Removes every repository of an organization. */
  removeAll(orgId: string): Promise<void>;
  /** Returns the repositories that were begun before an instant and never noted as recorded. Most of them are leftovers. */
  unrecorded(before: Date): Promise<{ orgId: string; repositoryId: string }[]>;
  /** Removes what ended processes left of imports that began before an instant, and what was discarded. */
  removeLeftovers(before: Date): Promise<void>;
  /** Throws a ProviderError if the directory is not writable. */
  verify(): Promise<void>;
  /** Ends the work in the background. */
  close(): Promise<void>;
}

/** One bare repository. */
export interface HostedRepository extends RepositoryReader {
  /** Creates it, empty or with one commit on the default branch. {@link noteRecorded} must follow, also an import. */
  create(defaultBranch: string, first?: FirstCommit): Promise<void>;
  /** Throws `TooLarge` if its single pack file exceeds `mostBytes`, and `DiskFull`. */
  import(
    remote: GitRemote,
    options: { timeoutMs: number; signal?: AbortSignal } & Partial<CopyLimits>,
  ): Promise<{ defaultBranch: string }>;
  exists(): boolean;
  /** Notes that it is in the database, so that it is no leftover if the process ends now. */
  noteRecorded(): Promise<void>;
  /** Takes it away at once, if it exists. The returned function removes its files, as {@link GitHost.removeLeftovers} would. */
  discard(): Promise<() => Promise<void>>;
  remove(): Promise<void>;
  /** Size on disk; 0 if it does not exist. */
  sizeBytes(): Promise<number>;
  /** Undefined if the repository does not exist. */
  defaultBranch(): Promise<string | undefined>;
  setDefaultBranch(branch: string): Promise<void>;
  branches(): Promise<Branch[]>;
  /** Deletes a branch, whose commits are kept for a while; returns the last one. Undefined if there was no such branch. */
  deleteBranch(branch: string): Promise<string | undefined>;
  /** Throws a Refusal `merge_conflict`, `branch_moved`, `branch_missing`. */
  merge(input: MergeInput): Promise<MergeResult>;
  /** Returns the commit that {@link merge} created for a change request, while the branch contains it. */
  merged(number: number, baseBranch: string): Promise<string | undefined>;
  /** Deletes commits that refs lost before an instant, except for those that `keep` returns. Returns false if there were none. */
  prune(before: Date, keep: () => Promise<readonly string[]>): Promise<boolean>;
  /** Serves one request of git's smart HTTP protocol. */
  serve(options: Omit<ServeOptions, 'repositoryPath'>): Promise<Served>;
}

export type { RefUpdate };
