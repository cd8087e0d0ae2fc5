import type { Branch, Person } from '../../git/bare.ts';
import type { Found, PathPlace } from '../../git/listings.ts';
import type { Diff } from '../../git/diff.ts';
import type { Tree } from '../../git/tree.ts';
import { ProviderError } from '../../lib/errors.ts';
import type { Provider } from '../../lib/providers.ts';
import type { Collaboration } from './collaboration.ts';
import type { ConnectionRef, MergeMethod, RepositoryRef } from './refs.ts';

export { mergeMethods, type ConnectionRef, type MergeMethod, type RepositoryRef } from './refs.ts';

/** A change request as its provider describes it. */
export interface ProviderChangeRequest {
  readonly number: number;
  readonly state: 'open' | 'merged' | 'closed';
  readonly draft: boolean;
  readonly title: string;
  readonly body: string;
  readonly headRef: string;
  readonly headSha: string;
  /** True if its branch is in another repository. */
  readonly isFromFork: boolean;
  readonly baseRef: string;
  /** Undefined while the provider has not determined it. */
  readonly mergeable: boolean | undefined;
  /** True if a rule of the host forbids to merge it until its branch has the newest commit of the base branch. */
  readonly isBehind: boolean;
  /** URL of its web page; `''` if only this installation's API shows it. */
  readonly url: string;
  /** `''` unless it is merged. */
  readonly mergeCommit: string;
  readonly mergedAt: Date | null;
  /** Orders the provider's descriptions: an older one never replaces a newer one. */
  readonly updatedAt: Date;
}

export interface ChangeRequestContent {
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

export interface NewChangeRequest extends ChangeRequestContent {
  readonly headRef: string;
  /** The commit that was pushed to it. */
  readonly headSha: string;
  readonly baseRef: string;
}

export interface MergeChangeRequest {
  readonly method: MergeMethod;
  readonly headSha: string;
  readonly message: string;
  readonly author: Person;
}

/** A run that fetches and pushes. */
export interface RunAccess {
  readonly sessionId: string;
  /** The run's fencing token. */
  readonly fence: number;
  /** The only branch that it may push, read before each call of git. */
  branch(): Promise<string>;
}

/** The gateway's access to a repository; no part of it enters a sandbox. */
export interface CloneAccess {
  readonly remoteUrl: string;
  /** Returns the header's value before each call of git, so that a short-lived one can be renewed; undefined for none. */
  authorization(): Promise<string | undefined>;
  /** True for the operator's own endpoint, which is exempt from egress rules. */
  readonly exempt: boolean;
}

/**
 * A git provider: repositories and change requests. Every function may throw a {@link ProviderError}, which is retryable if the
 * same call may succeed later, and a {@link Refusal} for an operation that the provider refuses.
 *
 * Optional members are undefined if the provider does not offer them.
 */
export interface SourceControl extends Partial<Collaboration> {
  readonly provider: Provider;
  /** The methods by which it merges; undefined for all. */
  readonly mergeMethods?: readonly MergeMethod[];
  /** Throws if the connection does not work. */
  verify(connection: ConnectionRef): Promise<ConnectionHealth>;
  /** Undefined if the provider does not have the repository. */
  find(repository: RepositoryRef): Promise<{ defaultBranch: string } | undefined>;
  /** Returns the commit at a branch's tip; undefined if the branch does not exist. */
  branchHead(repository: RepositoryRef, branch: string): Promise<string | undefined>;
  /** Returns access for a run, which may push its branch. */
  cloneAccess(repository: RepositoryRef, run: RunAccess): Promise<CloneAccess>;
  /** Lists branches by name that contain `search`, behind the name `after`. */
  findBranches(
    repository: RepositoryRef,
    options: { search: string; after?: string | undefined; limit: number },
  ): Promise<Found<Branch>>;
  /** Resolves a branch, tag or commit id to a commit; undefined if it does not exist. */
  resolve(repository: RepositoryRef, ref: string): Promise<string | undefined>;
  /** Lists paths of a commit that contain `search`; file names that do come first. */
  findPaths(
    repository: RepositoryRef,
    commit: string,
    options: { search: string; after?: PathPlace | undefined; limit: number },
  ): Promise<Found<{ path: string; place: PathPlace }>>;
  /**
   * Compares the merge base of two branches or commits with the second one; empty if the base no longer exists. The result is
   * shared and must not be changed. Throws {@link ComparisonTooLarge}.
   */
  compare(repository: RepositoryRef, base: string, head: string): Promise<Diff>;
  /** Opens a change request. Returns an existing open one of the head unchanged, with `created` false. */
  openChangeRequest(
    repository: RepositoryRef,
    input: NewChangeRequest,
  ): Promise<{ changeRequest: ProviderChangeRequest; created: boolean }>;
  /** Undefined if there is no change request with this number. */
  changeRequest(repository: RepositoryRef, number: number): Promise<ProviderChangeRequest | undefined>;
  /** Throws a {@link Refusal} `not_open`. */
  updateChangeRequest(
    repository: RepositoryRef,
    number: number,
    content: ChangeRequestContent,
  ): Promise<ProviderChangeRequest>;
  /**
   * Merges into the base branch, at most once: a repetition returns the first merge. Throws a {@link Refusal}
   * `merge_conflict`, `not_open`, `branch_moved`, `branch_missing`.
   */
  mergeChangeRequest(
    repository: RepositoryRef,
    number: number,
    input: MergeChangeRequest,
  ): Promise<ProviderChangeRequest>;
  /** Closes without merging; idempotent. Throws a {@link Refusal} `not_open` for a merged one. */
  closeChangeRequest(repository: RepositoryRef, number: number): Promise<ProviderChangeRequest>;
  /** Checks at once if a commit would merge into a branch. Without this function, the last `mergeable` counts. */
  readonly wouldMerge?: (repository: RepositoryRef, baseRef: string, headSha: string) => Promise<boolean>;
  /** Reads files of a commit at paths and below them, at most `maxEntries`; `''` is the root. Undefined for an unknown ref. */
  readonly readTree?: (
    repository: RepositoryRef,
    ref: string,
    paths: readonly string[],
    maxEntries: number,
  ) => Promise<Tree | undefined>;
  /** Runs `read` on a bare repository on this machine that has a ref's commit; it must not be changed. Undefined for an unknown ref. */
  readonly withGitDirectory?: <T>(
    repository: RepositoryRef,
    ref: string,
    read: (directory: string, commit: string) => Promise<T>,
  ) => Promise<T | undefined>;
  /** Lists the repositories that the connection can reach by name that contains `search`, page by page. */
  readonly reachable?: (
    connection: ConnectionRef,
    options: { search: string; page: string; limit: number },
  ) => Promise<{ items: ReachableRepository[]; next: string }>;
  /** Posts a comment on the whole change request. */
  readonly comment?: (repository: RepositoryRef, number: number, body: string) => Promise<{ url: string }>;
  /** Creates the App of a manifest at a host, by its web address and the code that the host gave to a person. */
  readonly convertApp?: (webUrl: string, code: string) => Promise<NewHostApp>;
  /**
   * Sets the address and the secret of the webhook of a connection's App. Throws a permanent ProviderError only if the host has not
   * changed anything.
   */
  readonly setAppWebhook?: (connection: ConnectionRef, webhook: { url: string; secret: string }) => Promise<void>;
  /** Verifies a delivery's signature with the connection's secret. */
  readonly verifyWebhook?: (connection: ConnectionRef, delivery: WebhookDelivery) => Promise<boolean>;
}

/** An App that a host created. */
export interface NewHostApp {
  readonly appId: string;
  readonly slug: string;
  readonly name: string;
  readonly htmlUrl: string;
  /** PEM. */
  readonly privateKey: string;
  /** `''` for none. */
  readonly webhookSecret: string;
}

export interface ConnectionHealth {
  /** The account that acts, for example `guildhall[bot]`; `''` for the built-in host. */
  readonly account: string;
  /** Permissions, in the host's words, that the credential lacks. */
  readonly missingPermissions: readonly string[];
}

export interface ReachableRepository {
  /** `owner/name`. */
  readonly repo: string;
  /** `''` for an empty one. */
  readonly defaultBranch: string;
  readonly private: boolean;
  /** URL of its web page. */
  readonly url: string;
}

export interface WebhookDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Thrown if more files differ than the provider compares. */
export class ComparisonTooLarge extends ProviderError {
  /** The base commit of the comparison. */
  readonly base: string;

  constructor(message: string, base: string) {
    super(message, { retryable: false });
    this.name = 'ComparisonTooLarge';
    this.base = base;
  }
}

export type RefusalReason = 'merge_conflict' | 'not_open' | 'branch_moved' | 'branch_missing';

/** A refusal by the provider. A repetition is refused too, until something else changes. */
export class Refusal extends ProviderError {
  readonly reason: RefusalReason;
  /** Files in conflict, if the provider reports them. */
  readonly paths: readonly string[];

  constructor(reason: RefusalReason, message: string, paths: readonly string[] = []) {
    super(message, { retryable: false });
    this.name = 'Refusal';
    this.reason = reason;
    this.paths = paths;
  }
}
