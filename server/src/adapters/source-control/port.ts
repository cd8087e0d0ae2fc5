import type { Person } from '../../git/bare.ts';
import type { Diff } from '../../git/diff.ts';
import type { Tree } from '../../git/tree.ts';
import { ProviderError } from '../../lib/errors.ts';
import type { Provider } from '../../lib/providers.ts';

/** A connection of an organization to a provider; its credentials are looked up by this. */
export interface ConnectionRef {
  readonly orgId: string;
  readonly connectionId: string;
}

/** A repository that an organization works with. */
export interface RepositoryRef extends ConnectionRef {
  readonly id: string;
  /** `owner/name`; owners may contain slashes. */
  readonly repo: string;
}

/** A change request as its provider describes it. */
export interface ProviderChangeRequest {
  readonly number: number;
  readonly state: 'open' | 'merged' | 'closed';
  readonly draft: boolean;
  readonly title: string;
  readonly body: string;
  readonly headRef: string;
  readonly headSha: string;
  readonly baseRef: string;
  /** Undefined while the provider does not know. */
  readonly mergeable: boolean | undefined;
  /** The page that people read it at; `''` when the API of this installation is the only place. */
  readonly url: string;
  /** `''` unless it is merged. */
  readonly mergeCommit: string;
  readonly mergedAt: Date | null;
  /** Orders what the provider said: what is older never replaces what is newer. */
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

export const mergeMethods = ['merge', 'squash'] as const;
export type MergeMethod = (typeof mergeMethods)[number];

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
  /** The one branch that it may push, read before each call of git. */
  branch(): Promise<string>;
}

/** The way from the gateway to a repository; nothing of it enters a sandbox. */
export interface CloneAccess {
  readonly remoteUrl: string;
  /** The value of the header, asked before every call of git, so that a short-lived one can be renewed; undefined for none. */
  authorization(): Promise<string | undefined>;
  /** The operator's own endpoint, which the egress rules do not judge. */
  readonly exempt: boolean;
}

/**
 * A git provider: repositories and change requests. Every function may throw a {@link ProviderError}, which is retryable
 * when the same call may succeed later, and a {@link Refusal} for what the provider will not do.
 *
 * The optional members are what not every provider offers; undefined means "not offered".
 */
export interface SourceControl {
  readonly provider: Provider;
  /** Throws when the connection does not work. */
  verify(connection: ConnectionRef): Promise<void>;
  /** Undefined when the provider has no such repository. */
  find(repository: RepositoryRef): Promise<{ defaultBranch: string } | undefined>;
  /** The commit at a branch's tip; undefined when there is no such branch. */
  branchHead(repository: RepositoryRef, branch: string): Promise<string | undefined>;
  cloneAccess(repository: RepositoryRef, run: RunAccess): CloneAccess;
  /**
   * From the merge base of two branches or commits to the second; a base that is gone makes it empty. The result is shared.
   * Throws {@link ComparisonTooLarge}.
   */
  compare(repository: RepositoryRef, base: string, head: string): Promise<Diff>;
  /** Opens a change request; a head that has an open one keeps it as it is, and `created` is false. */
  openChangeRequest(
    repository: RepositoryRef,
    input: NewChangeRequest,
  ): Promise<{ changeRequest: ProviderChangeRequest; created: boolean }>;
  /** Undefined when there is none of this number. */
  changeRequest(repository: RepositoryRef, number: number): Promise<ProviderChangeRequest | undefined>;
  /** Throws a {@link Refusal} `not_open`. */
  updateChangeRequest(
    repository: RepositoryRef,
    number: number,
    content: ChangeRequestContent,
  ): Promise<ProviderChangeRequest>;
  /**
   * Merges into the base branch, at most once: a repetition describes the first merge. Throws a {@link Refusal}
   * `merge_conflict`, `not_open`, `branch_moved`, `branch_missing`.
   */
  mergeChangeRequest(
    repository: RepositoryRef,
    number: number,
    input: MergeChangeRequest,
  ): Promise<ProviderChangeRequest>;
  /** Closes without merging; one that is closed stays so. Throws a {@link Refusal} `not_open` for a merged one. */
  closeChangeRequest(repository: RepositoryRef, number: number): Promise<ProviderChangeRequest>;
  /** Answers at once whether a commit would merge into a branch as that is now; elsewhere the last `mergeable` counts. */
  readonly wouldMerge?: (repository: RepositoryRef, baseRef: string, headSha: string) => Promise<boolean>;
  /** Reads files of a commit below directories, of the first `maxEntries`; `''` is the top. Undefined for an unknown ref. */
  readonly readTree?: (
    repository: RepositoryRef,
    ref: string,
    directories: readonly string[],
    maxEntries: number,
  ) => Promise<Tree | undefined>;
  /** Posts a comment on the whole change request. */
  readonly comment?: (repository: RepositoryRef, number: number, body: string) => Promise<{ url: string }>;
  /** Whether a delivery was signed with the connection's secret. */
  readonly verifyWebhook?: (connection: ConnectionRef, delivery: WebhookDelivery) => Promise<boolean>;
}

export interface WebhookDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** More files differ than the provider compares. */
export class ComparisonTooLarge extends ProviderError {
  /** The commit that was to be compared with. */
  readonly base: string;

  constructor(message: string, base: string) {
    super(message, { retryable: false });
    this.name = 'ComparisonTooLarge';
    this.base = base;
  }
}

export type RefusalReason = 'merge_conflict' | 'not_open' | 'branch_moved' | 'branch_missing';

/** The provider understood and will not do it; a repetition is refused again until something else has changed. */
export class Refusal extends ProviderError {
  readonly reason: RefusalReason;
  /** The files in conflict, as far as the provider names them. */
  readonly paths: readonly string[];

  constructor(reason: RefusalReason, message: string, paths: readonly string[] = []) {
    super(message, { retryable: false });
    this.name = 'Refusal';
    this.reason = reason;
    this.paths = paths;
  }
}
