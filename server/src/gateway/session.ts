import type { NetworkMode, RefusalReason } from './egress.ts';

/** A repository as its provider names it, e.g. `{provider: 'local', repo: 'owner/name'}`; owners may contain slashes. */
export interface RepositoryName {
  readonly provider: string;
  readonly repo: string;
}

/** The one thing a session may push: this branch and, when given, only to this commit (40 hexadecimal characters). */
export interface PushRight {
  readonly branch: string;
  readonly commit?: string;
}

export interface GatewayRepository extends RepositoryName {
  /** The clone URL, `http:` or `https:`. A user and password in it never reach the sandbox. */
  readonly remoteUrl: string;
  /** The `Authorization` header for the remote (`Basic …`, `Bearer …`), asked before every call; undefined: none. */
  authorization(): Promise<string | undefined>;
  /** Without it the repository cannot be pushed to. */
  readonly push?: PushRight;
  /** The operator's own endpoint (the built-in git host), whose address is not judged by the egress rules. */
  readonly exempt?: boolean;
}

export interface GatewaySession {
  readonly id: string;
  /** Whether this run still holds its lease; asked before every git call, and again before a push is completed. */
  holds(): Promise<boolean>;
  readonly repositories: readonly GatewayRepository[];
  readonly network: NetworkMode;
  /** Hosts, `*.suffix`, either with `:port`; used in the mode `allowlist`. */
  readonly allowedHosts: readonly string[];
  /** Told of every push, and of a refusal once, for at most 200 different ones. Must not throw. */
  onEvent?(event: GatewayEvent): void;
}

export interface PushedRef extends RepositoryName {
  readonly ref: string;
  /** The commit the ref is at now. */
  readonly commit: string;
}

export type GatewayEvent =
  | ({ readonly kind: 'git_push' } & PushedRef)
  | {
      readonly kind: 'refused';
      readonly reason: RefusalReason | 'git_policy' | 'git_lease' | 'git_repository' | 'registry';
      /** `host:port`, a repository or a path; never a credential. */
      readonly target: string;
      readonly message: string;
    };
