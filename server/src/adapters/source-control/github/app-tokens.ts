import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { ProviderError } from '../../../lib/errors.ts';
import type { HostConnection, HostCredential } from '../connection.ts';

export type AppCredential = Extract<HostCredential, { kind: 'app' }>;

/** Narrows an installation token; without it, the token has every repository and permission of the installation. */
export interface TokenScope {
  /** The repository's name, without its owner. */
  readonly repository: string;
  /** For example `{contents: 'write'}`. */
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
}

export interface InstallationToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Tokens are renewed this long before they expire: longer than most pushes. */
const renewMs = 5 * 60_000;
const maxTokens = 1_000;

/** Installation tokens of Apps, each kept until five minutes before it expires. */
export class AppTokens {
  readonly #now: () => Date;
  readonly #mint: (connection: HostConnection, jwt: string, scope?: TokenScope) => Promise<InstallationToken>;
  readonly #tokens = new Map<string, Promise<InstallationToken>>();

  constructor(
    now: () => Date,
    mint: (connection: HostConnection, jwt: string, scope?: TokenScope) => Promise<InstallationToken>,
  ) {
    this.#now = now;
    this.#mint = mint;
  }

  async get(connection: HostConnection, credential: AppCredential, scope?: TokenScope): Promise<string> {
    const key = keyOf(connection, credential, scope);
    for (let pending = this.#tokens.get(key); pending !== undefined;) {
      const { token, expiresAt } = await pending;
      if (expiresAt.getTime() - renewMs > this.#now().getTime()) return token;
      const newer = this.#tokens.get(key);
      if (newer === pending) break;
      pending = newer;
    }
    if (this.#tokens.size >= maxTokens) this.#tokens.clear();
    const minted = this.#mint(connection, appJwt(credential, this.#now()), scope);
    this.#tokens.set(key, minted);
    minted.catch(() => {
      if (this.#tokens.get(key) === minted) this.#tokens.delete(key);
    });
    return (await minted).token;
  }

  /** Forgets a token that GitHub rejected. */
  forget(connection: HostConnection, credential: AppCredential, scope?: TokenScope): void {
    this.#tokens.delete(keyOf(connection, credential, scope));
  }
}

function keyOf(
  { orgId, connectionId, url }: HostConnection,
  { appId, installationId }: AppCredential,
  scope?: TokenScope,
) {
  return JSON.stringify([orgId, connectionId, url, appId, installationId, scope?.repository, scope?.permissions]);
}

/** Signs an App's token for itself, which is valid for nine minutes. It begins a minute ago, because clocks differ. */
export function appJwt({ appId, privateKey }: AppCredential, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000);
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: seconds - 60, exp: seconds + 9 * 60, iss: appId };
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), keyFrom(privateKey)).toString('base64url')}`;
}

function keyFrom(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // Without the cause, which may contain the key.
  }
  throw new ProviderError("The App's private key must be an RSA key in PEM. Give the connection a new one.", {
    retryable: false,
  });
}
