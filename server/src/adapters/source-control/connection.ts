import { isDeepStrictEqual } from 'node:util';
import { ProviderError } from '../../lib/errors.ts';
import type { HostMirrors } from './host-mirrors.ts';
import type { ConnectionRef } from './port.ts';

/** The credential of a connection to a git host. */
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
 * Adapters throw it if the host rejects the credential, for example with 401: the connection counts as revoked until it gets
 * another one. Keeps the credential private, because errors are logged.
 */
export class CredentialRejected extends ProviderError {
  readonly ref: ConnectionRef;
  readonly #credential: HostCredential;

  constructor({ orgId, connectionId, url, credential }: HostConnection) {
    const next =
      credential.kind === 'app'
        ? 'Install its App there again, and connect the new installation.'
        : 'Give the connection a new one.';
    super(`${new URL(url).host} rejected the credential of the git connection. ${next}`, { retryable: false });
    this.name = 'CredentialRejected';
    this.ref = { orgId, connectionId };
    this.#credential = credential;
  }

  isOf(credential: HostCredential): boolean {
    return isDeepStrictEqual(this.#credential, credential);
  }
}

/**
 * A `fetch` for git hosts: it resolves and checks the address first (public ones, and those that the operator allows for `git`;
 * http only to the latter), reads the whole body, and ends after 20 s and 32 MiB. Follows a redirect of a GET request, and 307
 * and 308, to the same origin; any other redirect is the response. Throws a retryable ProviderError if the host cannot be
 * reached in time, a permanent one if its address is not allowed, and {@link AnswerTooLarge}.
 */
export type HostFetch = (url: string, init?: HostRequest) => Promise<Response>;

export interface HostRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Keeps only the last bytes of the body, which may then have any size that arrives in time. */
  readonly tailBytes?: number;
}

/** A host sent more than is read at once. */
export class AnswerTooLarge extends ProviderError {
  constructor(message: string) {
    super(message, { retryable: false });
    this.name = 'AnswerTooLarge';
  }
}

/** The parts that every adapter of a git host is created with. */
export interface HostParts {
  readonly connections: HostConnections;
  readonly fetch: HostFetch;
  /** For {@link readsFromMirror}, which answers the members of the port that read git. */
  readonly mirrors: HostMirrors;
  readonly now: () => Date;
  /** Returns the secrets that sign a connection's deliveries. Without it, none are verified. */
  readonly webhookSecrets?: (connection: ConnectionRef) => Promise<readonly string[]>;
}
