import type { GitRemote } from './remote.ts';

/** A repository as its host describes it. */
export interface HostRepository {
  /** `owner/name`; the owner may hold slashes (GitLab's subgroups). */
  repo: string;
  default_branch: string;
  /** Without credentials. */
  clone_url: string;
  private: boolean;
}

export interface HostBranch {
  name: string;
  sha: string;
  protected: boolean;
}

export interface HostChangeRequest {
  number: number;
  url: string;
  title: string;
  body: string;
  state: 'open' | 'merged' | 'closed';
  draft: boolean;
  head_ref: string;
  head_sha: string;
  base_ref: string;
  base_sha: string;
  author: string;
  created_at: Date;
  updated_at: Date;
  merged_at: Date | null;
}

export interface ChangeRequestInput {
  /** The branch that was pushed; at most one open change request has it. */
  head_ref: string;
  base_ref: string;
  title: string;
  body: string;
  draft: boolean;
}

export interface HostComment {
  body: string;
  /** A file and line of the head commit, for a comment on the diff. */
  path?: string;
  line?: number;
}

export interface HostEvent {
  kind: 'push' | 'change_request' | 'comment' | 'issue' | 'other';
  /** The host's id of the delivery: the same again is the same delivery. */
  delivery_id: string;
  repo: string;
  payload: unknown;
}

/** A page of a host's list; `next` is the cursor of the following one, undefined on the last. */
export interface HostPage<T> {
  items: T[];
  next: string | undefined;
}

/** Every call reaches outside: it takes a signal and ends within its own timeout. */
export interface CallOptions {
  signal?: AbortSignal;
}

/**
 * One connection to a git host, with its credentials inside. Functions throw ProviderError with `retryable` (limits,
 * outages, time-outs: yes; refused credentials, missing repositories: no), and AppError where the contract names a code
 * (`merge_conflict`, `change_request_closed`). Answers are parsed; only the fields here are used. Messages never hold a
 * credential. `openOrUpdateChangeRequest` and the webhook check may run twice with the same effect.
 */
export interface GitProvider {
  readonly provider: 'local' | 'github' | 'gitlab';
  /** Whether the host answers and takes the credentials; who they belong to. */
  verify(options?: CallOptions): Promise<{ login: string }>;
  listRepositories(after: string | undefined, options?: CallOptions): Promise<HostPage<HostRepository>>;
  /** Undefined when it does not exist or these credentials cannot see it. */
  getRepository(repo: string, options?: CallOptions): Promise<HostRepository | undefined>;
  listBranches(repo: string, after: string | undefined, options?: CallOptions): Promise<HostPage<HostBranch>>;
  /** URL and headers for git on the host side, short-lived where the provider can; never given to a sandbox. */
  cloneAccess(repo: string, access: 'read' | 'write', options?: CallOptions): Promise<GitRemote>;
  getChangeRequest(repo: string, number: number, options?: CallOptions): Promise<HostChangeRequest | undefined>;
  /** Opens one for the branch, or brings the open one up to date: one branch never gets two. */
  openOrUpdateChangeRequest(repo: string, input: ChangeRequestInput, options?: CallOptions): Promise<HostChangeRequest>;
  mergeChangeRequest(
    repo: string,
    number: number,
    input: { method: 'merge' | 'squash'; head_sha: string },
    options?: CallOptions,
  ): Promise<HostChangeRequest>;
  closeChangeRequest(repo: string, number: number, options?: CallOptions): Promise<HostChangeRequest>;
  /** Posts a review: a summary and its comments on lines as one. A single comment is a review of one. */
  postReview(
    repo: string,
    number: number,
    review: { body: string; commit: string; comments: HostComment[] },
    options?: CallOptions,
  ): Promise<{ url: string }>;
  /** The event of an incoming webhook; undefined when its signature is wrong. Never throws on what a stranger sent. */
  readWebhook(headers: Readonly<Record<string, string>>, body: Uint8Array, secret: string): HostEvent | undefined;
}
