import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Configuration } from 'openid-client';
import type { OidcConfig } from '../../config/people.ts';
import { AppError, messageOf, ProviderError } from '../../lib/errors.ts';
import { isEmail } from '../../lib/email.ts';
import { excessOf, maxJsonDepth, maxJsonValues } from '../../lib/json-limits.ts';
import { oneLine } from '../../lib/one-line.ts';

/** The identity provider's claims about a user. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string;
  emailVerified: boolean;
  name: string;
  groups: string[];
}

/** The values that a login's callback is checked against; kept in the browser that started it. */
export interface LoginChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The authorization code flow of OpenID Connect with PKCE (RFC 7636), state and nonce. */
export interface OidcClient {
  /** Returns the URL to redirect the browser to. Throws `ProviderError` if the provider is unavailable. */
  begin(redirectUri: string): Promise<{ url: URL; checks: LoginChecks }>;
  /**
   * Returns the user's identity. Throws `ProviderError` if the provider is unavailable, 401 `invalid_credentials` if it does not
   * confirm the login or answers something else.
   */
  finish(callback: URL, checks: LoginChecks): Promise<Identity>;
}

const timeoutSeconds = 10;
/** Maximum size of a provider's response; a token with thousands of groups is smaller. */
const maxAnswerBytes = 524_288;
/** Limits of one response, and of one token. */
const answerLimits = { values: maxJsonValues, depth: maxJsonDepth };
/** The provider's metadata is reloaded after this time. */
const freshMs = 3_600_000;

const Claims = Type.Object({
  sub: Type.String({ minLength: 1, maxLength: 255, pattern: String.raw`^[^\p{Cc}]*$` }),
  email: Type.Optional(Type.String()),
  email_verified: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
  name: Type.Optional(Type.String()),
  preferred_username: Type.Optional(Type.String()),
});
/** AD FS sends a single group as a string. */
const Groups = Type.Union([Type.Array(Type.String()), Type.String()]);

export function createOidcClient(config: OidcConfig, nowMs: () => number): OidcClient {
  let known: { at: number; configuration: Promise<Configuration> } | undefined;

  function discover(): Promise<Configuration> {
    if (known !== undefined && nowMs() - known.at < freshMs) return known.configuration;
    const entry = { at: nowMs(), configuration: discovery(config) };
    known = entry;
    // The next login asks a provider that was down again.
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

/** Loaded on the first single sign-on. */
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
          // Anyone who can answer as the provider also has its keys.
          client.enableNonRepudiationChecks,
          // The configuration allows plain http on this machine only.
          ...(config.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    ),
  );
}

/** Fetches claims that the ID token lacks: many providers include only the subject. */
async function userInfo(configuration: Configuration, accessToken: string, subject: string): Promise<object> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  const { fetchUserInfo } = await library();
  return asked(() => fetchUserInfo(configuration, accessToken, subject));
}

/** Fetches a response of the provider; gives up if it is endless or larger than any sign-in needs. */
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

/** Returns the claims in a response's tokens (RFC 7519), which can be large. */
function claimsIn(answer: Buffer): Buffer[] {
  return [...answer.toString('latin1').matchAll(/(?<![\w-])[\w-]+\.([\w-]+)\./g)]
    .filter(([, claims = '']) => claims.length > 4_096)
    .map(([, claims = '']) => Buffer.from(claims, 'base64url'));
}

/** Merges claims; the e-mail is taken from one source together with its verification. */
function joined(token: object, more: object): object {
  const { email, email_verified: verified, ...rest }: Record<string, unknown> = { ...token };
  return { ...rest, ...('email' in more ? {} : { email, email_verified: verified }), ...more };
}

function identityOf(config: OidcConfig, issuer: string, claims: object): Identity {
  if (!Value.Check(Claims, claims)) throw unconfirmed();
  const { sub: subject, email = '', email_verified: verified, name, preferred_username: username } = claims;
  return {
    issuer,
    subject,
    email: isEmail(email) ? email : '',
    emailVerified: verified === true || verified === 'true',
    name: oneLine((name ?? username ?? email).slice(0, 200)),
    groups: groupsIn(config, claims),
  };
}

/**
 * Returns the user's groups. Providers omit an empty claim, so none means no groups, unless it is elsewhere (OpenID Connect
 * Core 5.6.2): Entra ID sends no more than 200 itself.
 */
function groupsIn(config: OidcConfig, claims: object): string[] {
  const { [config.groupsClaim]: groups, _claim_names: elsewhere }: Record<string, unknown> = { ...claims };
  if (Value.Check(Groups, groups)) return [groups].flat();
  if (config.groups.length > 0 && Object.hasOwn(Object(elsewhere), config.groupsClaim))
    throw new AppError(
      'forbidden',
      'Your identity provider did not send your groups, because they are too many. Ask an administrator to have it send ' +
        'only the groups that are assigned to this application.',
    );
  return [];
}

/** Asks the provider; separates refusals from failures to ask. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await library();
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AuthorizationResponseError)
      throw new AppError(
        'invalid_credentials',
        `The identity provider rejected the sign-in: ${plain(error.error)}. Start again.`,
      );
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') throw unconfirmed();
    const code = error instanceof ClientError ? error.code : '';
    // The response does not match the request: another state, nonce, issuer, audience, signature or time.
    if (/^OAUTH_(?:INVALID_RESPONSE|JWT_|KEY_SELECTION)/.test(code ?? '')) throw unconfirmed();
    throw new ProviderError(`The identity provider is unavailable: ${messageOf(error)}`, {
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
