import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ProviderError } from '../../../lib/errors.ts';
import { backoffMs, retry } from '../../../lib/retry.ts';
import { CredentialRejected, type HostConnection, type HostFetch, type HostParts } from '../connection.ts';
import type { ConnectionRef } from '../port.ts';
import { InstallationToken } from './answers.ts';
import { appJwt, AppTokens, type TokenScope } from './app-tokens.ts';
import { endpointsOf } from './endpoints.ts';
import { failureOf, GithubFailure, reasonsOf } from './failures.ts';
import { jsonBody } from './json-body.ts';
import { RateLimits } from './limits.ts';
import { WritingPace } from './pace.ts';

/** One request to the REST API. */
export interface Call<T extends TSchema> {
  /** The action, for error messages: "read the repository acme/api". */
  readonly does: string;
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the API's base URL, with encoded segments. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The fields of the response that are used. */
  readonly answer: T;
}

export interface Answer<T> {
  readonly headers: Headers;
  readonly data: T;
}

/** A request to the GraphQL API. */
export interface Query<T extends TSchema> {
  readonly does: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly answer: T;
}

/** Calls GitHub's APIs with a connection's credential. */
export interface GithubClient {
  open(ref: ConnectionRef): Promise<HostConnection>;
  /** Throws {@link GithubFailure} for a status other than 2xx, and CredentialRejected. */
  call<T extends TSchema>(connection: HostConnection, call: Call<T>): Promise<Answer<Static<T>>>;
  /** Calls as the App itself instead of as its installation. */
  callAsApp<T extends TSchema>(connection: HostConnection, call: Call<T>): Promise<Answer<Static<T>>>;
  graphql<T extends TSchema>(connection: HostConnection, query: Query<T>): Promise<Static<T>>;
  /** Counts a write that creates content. Throws a retryable error beyond the pace that GitHub allows. */
  pace(connection: HostConnection): void;
  /** Returns the end of a text to which a path redirects, for example of a log. */
  tail(connection: HostConnection, call: Pick<Call<TSchema>, 'does' | 'path'>, maxBytes: number): Promise<string>;
  /** Returns the connection's token; that of an App is narrowed. */
  token(connection: HostConnection, scope: TokenScope): Promise<string>;
}

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly body: string | undefined;
  readonly does: string;
  /** Keeps only the end of the body, and takes a redirect as the response. */
  readonly tailBytes?: number;
}

const repeats = { firstMs: 250, maxMs: 1_000 };
const maxRepeats = 2;

export function createGithubClient({ connections, fetch, now }: HostParts): GithubClient {
  const limits = new RateLimits(now);
  const writes = new WritingPace(now);
  const tokens = new AppTokens(now, mintFunction(fetch, limits));

  async function authorized(connection: HostConnection, sent: Sent) {
    const { credential } = connection;
    if (credential.kind === 'token') return exchange({ fetch, limits }, connection, sent, credential.token);
    try {
      return await exchange({ fetch, limits }, connection, sent, await tokens.get(connection, credential));
    } catch (error) {
      if (!(error instanceof CredentialRejected)) throw error;
      // The token may have ended before its time, for example because the installation's permissions changed.
      tokens.forget(connection, credential);
      return exchange({ fetch, limits }, connection, sent, await tokens.get(connection, credential));
    }
  }

  return {
    open: (ref) => connections.open(ref),
    async call(connection, call) {
      const sent = restRequest(connection, call);
      const { headers, body } = await repeated(sent, () => authorized(connection, sent));
      return { headers, data: parsed(body, call.answer, connection, call.does) };
    },
    async callAsApp(connection, call) {
      const { credential } = connection;
      if (credential.kind !== 'app') throw new Error('Only an App calls as itself.');
      const sent = restRequest(connection, call);
      const { headers, body } = await repeated(sent, () =>
        exchange({ fetch, limits }, connection, sent, appJwt(credential, now())),
      );
      return { headers, data: parsed(body, call.answer, connection, call.does) };
    },
    async graphql(connection, { does, query, variables, answer }) {
      const { graphql: url } = endpointsOf(connection.url);
      const sent = { url, method: 'POST', body: JSON.stringify({ query, variables }), does };
      const isRead = query.trimStart().startsWith('query');
      const { status, headers, body } = await repeated({ ...sent, method: isRead ? 'GET' : 'POST' }, () =>
        authorized(connection, sent),
      );
      const failure = graphqlFailure(limits, connection, does, { headers, body });
      if (failure !== undefined) throw failure;
      return parsed(body, answer, connection, does, status);
    },
    pace: (connection) => writes.take(accountOf(connection), nameOf(connection)),
    async tail(connection, call, maxBytes) {
      const sent = { ...restRequest(connection, { ...call, answer: Type.Unknown() }), tailBytes: maxBytes };
      const { headers, body } = await repeated(sent, () => authorized(connection, sent));
      const location = headers.get('location');
      return location === null ? String(body) : elsewhere(fetch, new URL(location, sent.url), sent);
    },
    token: async (connection, scope) =>
      connection.credential.kind === 'token'
        ? connection.credential.token
        : tokens.get(connection, connection.credential, scope),
  };
}

/** Returns the failure that a response of the GraphQL API reports with status 200. */
function graphqlFailure(
  limits: RateLimits,
  connection: HostConnection,
  does: string,
  { headers, body }: { headers: Headers; body: unknown },
): GithubFailure | undefined {
  const reasons = reasonsOf(body);
  if (reasons.length === 0) return undefined;
  const name = nameOf(connection);
  const limited = reasons.some((reason) => /rate limit/i.test(reason))
    ? limits.note(accountOf(connection), name, { status: 429, headers }, reasons)
    : undefined;
  return limited ?? failureOf({ status: 422, headers }, body, { name, does });
}

/** Returns the end of what another host has, which gets no credential. */
async function elsewhere(fetch: HostFetch, url: URL, { does, tailBytes }: Sent): Promise<string> {
  const response = await fetch(url.href, { tailBytes });
  if (!response.ok) throw failureOf(response, undefined, { name: url.host, does });
  return response.text();
}

/** Returns whose limits apply. */
function accountOf({ connectionId, url }: HostConnection): string {
  return `${connectionId} ${url}`;
}

/** Returns the host's name for messages. */
export function nameOf({ url }: Pick<HostConnection, 'url'>): string {
  const { host } = new URL(url);
  return host === 'github.com' ? 'GitHub' : host;
}

function restRequest(connection: HostConnection, { method = 'GET', path, query, body, does }: Call<TSchema>): Sent {
  const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
  const url = `${endpointsOf(connection.url).rest}${path}${search}`;
  return { url, method, body: body === undefined ? undefined : JSON.stringify(body), does };
}

function mintRequest(connection: HostConnection, body: unknown): Sent {
  const { credential } = connection;
  const id = credential.kind === 'app' ? encodeURIComponent(credential.installationId) : '';
  const path = `/app/installations/${id}/access_tokens`;
  return restRequest(connection, { method: 'POST', path, body, does: 'create a token', answer: InstallationToken });
}

/** Mints tokens of installations. */
function mintFunction(fetch: HostFetch, limits: RateLimits) {
  return async (connection: HostConnection, jwt: string, scope?: TokenScope) => {
    const body = scope === undefined ? {} : { repositories: [scope.repository], permissions: scope.permissions };
    const sent = mintRequest(connection, body);
    const response = await exchange({ fetch, limits }, connection, sent, jwt).catch((error: unknown) => {
      // The App was uninstalled.
      throw error instanceof GithubFailure && error.status === 404 ? new CredentialRejected(connection) : error;
    });
    const { token, expires_at: expiresAt } = parsed(response.body, InstallationToken, connection, sent.does);
    return { token, expiresAt: new Date(expiresAt) };
  };
}

/** Sends one request; throws for a status other than 2xx. */
async function exchange(
  { fetch, limits }: { fetch: HostFetch; limits: RateLimits },
  connection: HostConnection,
  { url, method, body: sent, does, tailBytes }: Sent,
  token: string,
) {
  const name = nameOf(connection);
  const account = accountOf(connection);
  limits.check(account, name);
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'guildhall',
      'x-github-api-version': '2022-11-28',
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: sent,
    tailBytes,
  });
  if (tailBytes !== undefined && [301, 302, 303, 307, 308].includes(response.status))
    return { status: response.status, headers: response.headers, body: undefined };
  if (tailBytes !== undefined && response.ok)
    return { status: response.status, headers: response.headers, body: await response.text() };
  const body = await jsonBody(response, name);
  if (response.ok) return { status: response.status, headers: response.headers, body };
  const reasons = reasonsOf(body);
  if (response.status === 401) throw rejection(connection, name, reasons);
  throw limits.note(account, name, response, reasons) ?? failureOf(response, body, { name, does });
}

/** Returns the error of a 401, which for an App also means that the clocks differ. */
function rejection(connection: HostConnection, name: string, reasons: readonly string[]): ProviderError {
  if (!reasons.some((reason) => /'(?:Expiration time|Issued at)'/.test(reason)))
    return new CredentialRejected(connection);
  return new ProviderError(
    `${name} refused the App's token, because the clocks differ. Correct this machine's clock.`,
    {
      retryable: true,
    },
  );
}

/** Repeats what only reads, after a failure that may pass. */
async function repeated<T>({ method }: Sent, run: () => Promise<T>): Promise<T> {
  return retry(run, (error, failures) => {
    const passes = error instanceof GithubFailure && error.status >= 500;
    if (method !== 'GET' || !passes || failures > maxRepeats) return undefined;
    return backoffMs(failures, repeats);
  });
}

function parsed<T extends TSchema>(
  body: unknown,
  schema: T,
  connection: HostConnection,
  does: string,
  status = 200,
): Static<T> {
  if (Value.Check(schema, body)) return body;
  const name = nameOf(connection);
  throw new GithubFailure(`${name} gave an unexpected response to: ${does}. Check the connection's host.`, {
    retryable: false,
    status,
  });
}
