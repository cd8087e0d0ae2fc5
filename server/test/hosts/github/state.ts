import type { Said } from './said-state.ts';
import type { BareRepository } from '../git-server.ts';

/** A repository of the fake, and its names: requests with an old one are redirected. */
export interface Repository extends Said {
  readonly id: number;
  /** `owner/name`; empty after deletion. */
  name: string;
  readonly oldNames: string[];
  isPrivate: boolean;
  isArchived: boolean;
  /** True if draft pull requests are refused, as for a private repository of a free plan. */
  refusesDrafts: boolean;
  /** True if a rule of the default branch requires that branches are up to date before they are merged. */
  requiresUpToDate: boolean;
  readonly bare: BareRepository;
  readonly pulls: Pull[];
  readonly hooks: FakeHook[];
}

/** A webhook; `config` is as it was sent. */
export interface FakeHook {
  readonly id: number;
  active: boolean;
  events: string[];
  config: Readonly<Record<string, unknown>>;
}

/** An attempt at a delivery of the App's webhook, as GitHub describes it. */
export type FakeDelivery = Readonly<Record<string, unknown>> & { readonly id: number };

export interface Pull {
  /** The login of who opened it. */
  readonly author: string;
  readonly id: number;
  readonly number: number;
  title: string;
  body: string;
  draft: boolean;
  state: 'open' | 'closed';
  readonly headRef: string;
  /** The name of the repository with the head; undefined for the one of the pull request. */
  fork?: string;
  /** The newest head while it was open. */
  headSha: string;
  readonly baseRef: string;
  baseSha: string;
  mergedAt: string | null;
  mergeCommit: string | null;
  readonly createdAt: string;
  updatedAt: string;
  /** The heads for which it is determined if they merge: `base head`. */
  determined: string;
  mergeable: boolean | null;
  /** True if its branch lacks commits of the base branch. */
  lacksCommits: boolean;
}

/** A credential that the fake accepts. */
export type Grant = TokenGrant | InstallationGrant | { readonly kind: 'app' };

/** A personal access token: a classic one has scopes, a fine-grained one permissions. */
export interface TokenGrant {
  readonly kind: 'token';
  readonly login: string;
  readonly scopes?: readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
}

export interface InstallationGrant {
  readonly kind: 'installation';
  readonly permissions: Readonly<Record<string, string>>;
  /** Ids of repositories; undefined for all of the installation. */
  readonly repositories: readonly number[] | undefined;
  readonly expiresAt: Date;
}

/** Installed once; its key pair is known to tests. */
export interface AppState {
  readonly id: string;
  readonly slug: string;
  readonly publicKey: string;
  readonly installationId: string;
  permissions: Record<string, string>;
  suspendedAt: string | null;
  isInstalled: boolean;
}

/** Thrown by a route: the response of GitHub. */
export class Answer extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`status ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

const documentation = 'https://docs.github.com/rest';

export function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return new Answer(status, { message, documentation_url: documentation, status: String(status) }, headers);
}

/** A 422 with details. */
export function invalid(...errors: { resource: string; field?: string; code: string; message?: string }[]): Answer {
  return new Answer(422, { message: 'Validation Failed', errors, documentation_url: documentation });
}
