import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Configuration } from 'openid-client';
import type { OidcConfig } from '../../config/people.ts';
import { AppError, messageOf, ProviderError } from '../../lib/errors.ts';
import { isEmail } from '../../lib/email.ts';
import { excessOf, maxJsonDepth, maxJsonValues } from '../../lib/json-limits.ts';
import { oneLine } from '../../lib/one-line.ts';

/** Who the identity provider says somebody is. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string;
  emailVerified: boolean;
  name: string;
  groups: string[];
}

/** What the callback of a login is held against; it stays in the browser that began it. */
export interface LoginChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The authorization code flow of OpenID Connect with PKCE (RFC 7636), state and nonce. */
export interface OidcClient {
  /** Where to send the browser. Throws `ProviderError` when the provider cannot be reached. */
  begin(redirectUri: string): Promise<{ url: URL; checks: LoginChecks }>;
  /**
   * Who came back. Throws `ProviderError` when the provider cannot be reached, 401 `invalid_credentials` when it does not
   * confirm the login or says what was not asked.
   */
  finish(callback: URL, checks: LoginChecks): Promise<Identity>;
}

const timeoutSeconds = 10;
/** The longest answer of the provider that is read: a token with thousands of groups is shorter. */
const maxAnswerBytes = 524_288;
/** Of one answer, and of one token. */
const answerLimits = { values: maxJsonValues, depth: maxJsonDepth };
/** The provider's metadata is read again after this. */
const freshMs = 3_600_000;

const Claims = Type.Object({
  sub: Type.String({ minLength: 1, maxLength: 255, pattern: String.raw`^[^\p{Cc}]*$` }),
  email: Type.Optional(Type.String()),
  email_verified: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
  name: Type.Optional(Type.String()),
  preferred_username: Type.Optional(Type.String()),
});
const Groups = Type.Array(Type.String());

export function createOidcClient(config: OidcConfig, nowMs: () => number): OidcClient {
  let known: { at: number; configuration: Promise<Configuration> } | undefined;

  function discover(): Promise<Configuration> {
    if (known !== undefined && nowMs() - known.at < freshMs) return known.configuration;
    const entry = { at: nowMs(), configuration: discovery(config) };
    known = entry;
    // A provider that is down is asked again by the next person.
    entry.configuration.catch(() => {
      if (known === entry) known = undefined;
    });
    return entry.configuration;
  }

  return {
    async begin(redirectUri) {
      const { randomState, randomNonce, randomPKCECodeVerifier, calculatePKCECodeChallenge, buildAuthorizationUrl } =
        await library();
      const configuration = await discover();
      const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const url = buildAuthorizationUrl(configuration, {
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: config.scopes,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return { url, checks };
    },
    async finish(callback, checks) {
      const { authorizationCodeGrant } = await library();
      const configuration = await discover();
      const tokens = await asked(() =>
        authorizationCodeGrant(configuration, callback, {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.verifier,
          idTokenExpected: true,
        }),
      );
      const claims = tokens.claims();
      if (claims === undefined) throw unconfirmed();
      const more = await userInfo(configuration, tokens.access_token, claims.sub);
      return identityOf(config, claims.iss, joined(claims, more));
    },
  };
}

/** Loaded when somebody first signs in this way. */
function library() {
  return import('openid-client');
}

async function discovery(config: OidcConfig): Promise<Configuration> {
  const client = await library();
  const { ClientSecretBasic, None } = client;
  const secret = config.clientSecret();
  return asked(() =>
    client.discovery(
      new URL(config.issuer),
      config.clientId,
      undefined,
      secret === '' ? None() : ClientSecretBasic(secret),
      {
        timeout: timeoutSeconds,
        [client.customFetch]: fetchBounded,
        execute: [
          // Who answers as the provider has its keys, too.
          client.enableNonRepudiationChecks,
          // The configuration lets plain http through on this machine alone.
          ...(config.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    ),
  );
}

/** What the ID token left out: many providers put no more than the subject into it. */
async function userInfo(configuration: Configuration, accessToken: string, subject: string): Promise<object> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  const { fetchUserInfo } = await library();
  return asked(() => fetchUserInfo(configuration, accessToken, subject));
}

/** An answer of the provider, which is given up when it has no end, or holds more than anybody's sign-in. */
async function fetchBounded(url: string, options: object): Promise<Response> {
  const { body, status, statusText, headers } = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxAnswerBytes) throw new Error(`its answer is longer than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  const answer = Buffer.concat(chunks);
  for (const json of [answer, ...claimsIn(answer)]) {
    const excess = excessOf(json, answerLimits);
    if (excess !== undefined) throw new Error(`its answer ${excess}`);
  }
  return new Response(chunks.length === 0 ? null : answer, { status, statusText, headers });
}

/** What tokens in an answer say (RFC 7519), where it may be much. */
function claimsIn(answer: Buffer): Buffer[] {
  return [...answer.toString('latin1').matchAll(/(?<![\w-])[\w-]+\.([\w-]+)\./g)]
    .filter(([, claims = '']) => claims.length > 4_096)
    .map(([, claims = '']) => Buffer.from(claims, 'base64url'));
}

/** The claims of both; an address comes from one of them, with what that one says of it. */
function joined(token: object, more: object): object {
  const { email, email_verified: verified, ...rest }: Record<string, unknown> = { ...token };
  return { ...rest, ...('email' in more ? {} : { email, email_verified: verified }), ...more };
}

function identityOf(config: OidcConfig, issuer: string, claims: object): Identity {
  if (!Value.Check(Claims, claims)) throw unconfirmed();
  const { sub: subject, email = '', email_verified: verified, name, preferred_username: username } = claims;
  const groups: unknown = Object.entries(claims).find(([claim]) => claim === config.groupsClaim)?.[1];
  return {
    issuer,
    subject,
    email: isEmail(email) ? email : '',
    emailVerified: verified === true || verified === 'true',
    name: oneLine((name ?? username ?? email).slice(0, 200)),
    groups: Value.Check(Groups, groups) ? groups : [],
  };
}

/** Asks the provider, and tells what it refused from what could not be asked. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await library();
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AuthorizationResponseError)
      throw new AppError('invalid_credentials', `The identity provider did not sign you in: ${plain(error.error)}.`);
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') throw unconfirmed();
    const code = error instanceof ClientError ? error.code : '';
    // What came back is not what was asked for: another state, nonce, issuer, audience, signature or time.
    if (/^OAUTH_(?:INVALID_RESPONSE|JWT_|KEY_SELECTION)/.test(code ?? '')) throw unconfirmed();
    throw new ProviderError(`The identity provider cannot be asked: ${messageOf(error)}`, {
      retryable: true,
      cause: error,
    });
  }
}

function plain(text: string): string {
  return text.replaceAll(/[^\w .-]/g, '').slice(0, 100);
}

function unconfirmed(): AppError {
  return new AppError('invalid_credentials', 'The identity provider did not confirm this sign-in. Start again.');
}
