import type { Collaboration, HostComment, HostReview, HostThread, ReviewToSubmit } from './collaboration.ts';
import type { RepositoryRef } from './port.ts';

/** A thread as stored by the built-in host. */
export interface HostedThread extends Omit<HostThread, 'isOutdated'> {
  /** The first line; `line` is the last one. */
  readonly startLine: number | null;
  /** The head commit that it was begun on; `''` if that is not known. */
  readonly headSha: string;
}

export interface HostedDiscussion {
  readonly comments: readonly HostComment[];
  readonly reviews: readonly HostReview[];
  readonly threads: readonly HostedThread[];
}

type Stored = Pick<
  Collaboration,
  | 'checks'
  | 'setStatus'
  | 'reply'
  | 'resolveThread'
  | 'updateComment'
  | 'acknowledge'
  | 'permissionOf'
  | 'changedChangeRequests'
>;

/** Stores what is said on change requests of the built-in host; each call is atomic, and what the platform says has no author. */
export interface HostedCollaboration extends Stored {
  discussion(repository: RepositoryRef, number: number): Promise<HostedDiscussion>;
  /** Returns the ids of the review's text and of its comments, in order. */
  submitReview(
    repository: RepositoryRef,
    number: number,
    review: ReviewToSubmit,
  ): Promise<{ id: string; threadIds: string[] }>;
  /** Records that the platform deleted a branch. */
  branchDeleted(repository: RepositoryRef, branch: string, commit: string): Promise<void>;
}
