import type { ConnectionRef } from './port.ts';

/** What a connection to a git host signs in with. */
export type HostCredential =
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'app';
      readonly appId: string;
      /** PEM. */
      readonly privateKey: string;
      readonly installationId: string;
    };

/** An organization's connection to a git host, opened. */
export interface HostConnection extends ConnectionRef {
  /** The host's web address without a trailing slash, for example `https://github.com`. */
  readonly url: string;
  readonly credential: HostCredential;
}

/** Opens connections. Its credentials are never logged and never enter a sandbox. */
export interface HostConnections {
  /** Throws a permanent ProviderError that says what to do if the connection is gone or was revoked. */
  open(connection: ConnectionRef): Promise<HostConnection>;
}

/**
 * A `fetch` for git hosts: it resolves and checks the address first (public ones, and those that the operator allows for `git`),
 * follows no redirect to another origin, and ends after 20 s and 32 MiB. Throws a retryable ProviderError if the host cannot be
 * reached.
 */
export type HostFetch = (url: string, init?: HostRequest) => Promise<Response>;

export interface HostRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** What every adapter of a git host is created with. */
export interface HostParts {
  readonly connections: HostConnections;
  readonly fetch: HostFetch;
  readonly now: () => Date;
}
