import type { ConnectionRef, MergeMethod, RepositoryRef } from './refs.ts';

/** An account of a git host. */
export interface HostAccount {
  readonly login: string;
  readonly isBot: boolean;
}

/** A check of a commit: a check run, a commit status, a pipeline's job or a flag. */
export interface HostCheck {
  /** Names it to `failureLog` and `rerun`. */
  readonly id: string;
  readonly name: string;
  /** `error` is a failure of the infrastructure: canceled, timed out, could not start. */
  readonly state: 'pending' | 'success' | 'failure' | 'error' | 'neutral';
  readonly description: string;
  readonly url: string;
  /** Undefined if the host does not say whether a merge requires it. */
  readonly isRequired: boolean | undefined;
  readonly endedAt: Date | null;
}

/** A comment of a person or a program. */
export interface HostComment {
  readonly id: string;
  readonly author: HostAccount;
  /** At most 64 KiB; longer ones are cut. */
  readonly body: string;
  readonly url: string;
  readonly createdAt: Date;
}

/** True if a comment was made since an instant, in milliseconds. Some hosts tell times in whole seconds, rounded down. */
export function isSaidSince({ createdAt }: Pick<HostComment, 'createdAt'>, since: number): boolean {
  return createdAt.getTime() >= Math.floor(since / 1_000) * 1_000;
}

/** Comments on lines of a change request, the first one first. */
export interface HostThread {
  /** Names it to `reply` and `resolveThread`. */
  readonly id: string;
  readonly path: string;
  /** Null for a whole file, or if the line is gone. */
  readonly line: number | null;
  readonly side: 'old' | 'new';
  readonly isResolved: boolean;
  /** The lines changed since. */
  readonly isOutdated: boolean;
  readonly comments: readonly HostComment[];
  /** The submitted review that the first comment belongs to; `''` for none. */
  readonly reviewId: string;
}

/** A submitted review. */
export interface HostReview extends HostComment {
  readonly state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  readonly headSha: string;
}

/** All that was said on a change request; each list has at most 1,000 items, the newest ones. */
export interface Discussion {
  /** Comments on the whole change request, the oldest first. */
  readonly comments: readonly HostComment[];
  readonly reviews: readonly HostReview[];
  readonly threads: readonly HostThread[];
  /** Names of labels. */
  readonly labels: readonly string[];
}

export interface ReviewComment {
  readonly path: string;
  readonly line: number;
  readonly startLine: number | null;
  readonly side: 'old' | 'new';
  readonly body: string;
}

export interface ReviewToSubmit {
  readonly headSha: string;
  readonly body: string;
  readonly verdict: 'comment' | 'request_changes';
  /** All are on lines that the change request changes. */
  readonly comments: readonly ReviewComment[];
}

export interface SubmittedReview {
  /** Names the comment with the body to `updateComment`. */
  readonly id: string;
  readonly url: string;
  /** The thread of each comment, in order; `''` for one that the host did not accept. */
  readonly threadIds: readonly string[];
}

export type HostPermission = 'none' | 'read' | 'write' | 'admin';

/** An issue of a git host. */
export interface HostIssue {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly title: string;
  readonly body: string;
  readonly author: HostAccount;
  readonly labels: readonly string[];
  readonly url: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** One event of a webhook delivery: only a reason to read the present state, because it may be old. */
export type HostEvent =
  | {
      readonly type: 'push';
      readonly repo: string;
      readonly ref: string;
      readonly before: string;
      readonly after: string;
    }
  | {
      readonly type: 'change_request';
      readonly repo: string;
      readonly action: 'opened' | 'changed';
      readonly number: number;
    }
  | {
      /** A comment on a change request or an issue, on lines too; a review is one. */
      readonly type: 'comment' | 'review';
      readonly repo: string;
      readonly on: 'change_request' | 'issue';
      readonly number: number;
    }
  | { readonly type: 'checks'; readonly repo: string; readonly headSha: string }
  | {
      readonly type: 'issue';
      readonly repo: string;
      readonly action: 'opened' | 'changed';
      readonly number: number;
    }
  /** `newRepo` is `''` for a deleted one. */
  | { readonly type: 'repository'; readonly repo: string; readonly newRepo: string }
  /** The connection's permissions or repositories changed. */
  | { readonly type: 'connection' };

/**
 * The members of the port that follow and review change requests. A member is undefined if the provider does not offer it; the
 * caller then does without. Errors as in SourceControl.
 */
export interface Collaboration {
  /** Lists the checks of a commit, the newest of each name; at most 1,000. */
  readonly checks: (repository: RepositoryRef, headSha: string) => Promise<readonly HostCheck[]>;
  /** Returns the last `maxBytes` of a failed check's log; `''` if there is none. */
  readonly failureLog: (repository: RepositoryRef, checkId: string, maxBytes: number) => Promise<string>;
  /** Runs a failed check again. */
  readonly rerun: (repository: RepositoryRef, checkId: string) => Promise<void>;
  /** Sets a status on a commit, as a CI system does. */
  readonly setStatus: (
    repository: RepositoryRef,
    headSha: string,
    status: Pick<HostCheck, 'name' | 'state' | 'description' | 'url'>,
  ) => Promise<void>;
  readonly discussion: (repository: RepositoryRef, number: number) => Promise<Discussion>;
  readonly reply: (
    repository: RepositoryRef,
    number: number,
    threadId: string,
    body: string,
  ) => Promise<{ url: string }>;
  readonly resolveThread: (repository: RepositoryRef, number: number, threadId: string) => Promise<void>;
  /** Posts a review with its comments at once, or as close to that as the host allows. */
  readonly submitReview: (
    repository: RepositoryRef,
    number: number,
    review: ReviewToSubmit,
  ) => Promise<SubmittedReview>;
  /** Rewrites the body of a submitted review or a comment. */
  readonly updateComment: (repository: RepositoryRef, number: number, id: string, body: string) => Promise<void>;
  /** Acknowledges a comment, for example by a reaction. */
  readonly acknowledge: (repository: RepositoryRef, number: number, commentId: string) => Promise<void>;
  readonly permissionOf: (repository: RepositoryRef, login: string) => Promise<HostPermission>;
  /**
   * Lets the host merge this head when its own rules are met. Throws a Refusal `branch_moved` if the head is another one, and
   * `not_open`.
   */
  readonly enableAutoMerge: (
    repository: RepositoryRef,
    number: number,
    method: MergeMethod,
    headSha: string,
  ) => Promise<void>;
  /** Takes that back; it need not be on. Does nothing for one that is merged or closed. */
  readonly disableAutoMerge: (repository: RepositoryRef, number: number) => Promise<void>;
  /** Deletes a branch; it need not exist. */
  readonly deleteBranch: (repository: RepositoryRef, branch: string) => Promise<void>;
  /** Lists change requests that changed after a time, the oldest change first; at most 100. */
  readonly changedChangeRequests: (
    repository: RepositoryRef,
    since: Date,
  ) => Promise<readonly { number: number; createdAt: Date; updatedAt: Date }[]>;
  /** Lists issues that changed after a time, the oldest change first; at most 100. */
  readonly changedIssues: (repository: RepositoryRef, since: Date) => Promise<readonly HostIssue[]>;
  readonly issue: (repository: RepositoryRef, number: number) => Promise<HostIssue | undefined>;
  readonly issueComments: (repository: RepositoryRef, number: number) => Promise<readonly HostComment[]>;
  readonly commentOnIssue: (repository: RepositoryRef, number: number, body: string) => Promise<{ url: string }>;
  /** Creates or repairs the repository's webhook; throws a ProviderError that says what to do if the credential may not. */
  readonly ensureWebhook: (repository: RepositoryRef, url: string, secret: string) => Promise<void>;
  /** Asks the host to deliver again what failed since a time. */
  readonly redeliver: (connection: ConnectionRef, since: Date) => Promise<void>;
  /** The delivery's own id; `''` if the host gives none. */
  readonly deliveryId: (delivery: { headers: Readonly<Record<string, string>>; body: Uint8Array }) => string;
  /** Reads a verified delivery; empty for kinds that nothing follows. Throws for a body that is no delivery. */
  readonly readDelivery: (delivery: {
    headers: Readonly<Record<string, string>>;
    body: Uint8Array;
  }) => Promise<readonly HostEvent[]>;
}
