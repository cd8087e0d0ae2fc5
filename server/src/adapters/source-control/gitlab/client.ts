import type { TSchema, Static } from 'typebox';
import { Value } from 'typebox/value';
import { ProviderError } from '../../../lib/errors.ts';
import { excessOf } from '../../../lib/json-limits.ts';
import { AnswerTooLarge, type HostConnection, type HostParts } from '../connection.ts';
import type { ConnectionRef, RepositoryRef } from '../port.ts';
import type { GitlabAnswer, GitlabRequest } from './exchange.ts';
import { hostOf, messageIn, problemOf, requireUsable } from './problems.ts';
import { MovedProject } from './shapes.ts';

/** Calls GitLab for connections. Throws ProviderError, and CredentialRejected for a token that GitLab rejects. */
export interface GitlabClient {
  open(connection: ConnectionRef): Promise<HostConnection>;
  send(connection: ConnectionRef, request: GitlabRequest): Promise<GitlabAnswer>;
  /** Sends a request about a project, also under a name that it had before. An empty path is the project itself. */
  inProject(repository: RepositoryRef, request: GitlabRequest): Promise<GitlabAnswer>;
}

const limits = { bytes: 8 * 1_024 * 1_024, json: { values: 200_000, depth: 50 } };

export function createGitlabClient(parts: HostParts): GitlabClient {
  const client: GitlabClient = {
    open: (connection) => parts.connections.open(connection),
    async send(ref, request) {
      const connection = await parts.connections.open(ref);
      const response = await parts.fetch(addressOf(connection, request), {
        method: request.method ?? 'GET',
        headers: headersOf(connection, request),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        ...(request.tailBytes === undefined ? {} : { tailBytes: request.tailBytes }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const body = request.tailBytes === undefined ? parse(connection, bytes) : bytes.toString('utf8');
      const answer = { status: response.status, body, connection, pages: pagesIn(response.headers) };
      requireUsable(answer, response.headers, request, parts.now());
      return answer;
    },
    async inProject(repository, request) {
      const named = (project: string) => ({
        ...request,
        path: ['projects', project, request.path].join('/').replace(/\/$/, ''),
      });
      const name = encodeURIComponent(repository.repo);
      const answer = await client.send(repository, named(name));
      // GitLab redirects only GET requests from a project's former names.
      if (answer.status !== 405 || !/moved/i.test(messageIn(answer.body))) return answer;
      const found = await client.send(repository, { path: `projects/${name}` });
      return client.send(repository, named(String(parsed(MovedProject, found).id)));
    },
  };
  return client;
}

/** Throws what GitLab says about a request that was not successful. */
export function requireDone(answer: GitlabAnswer): void {
  if (answer.status >= 300) throw problemOf(answer);
}

/** Parses the answer to a successful request. Throws what GitLab says about any other. */
export function parsed<T extends TSchema>(schema: T, answer: GitlabAnswer): Static<T> {
  requireDone(answer);
  if (Value.Check(schema, answer.body)) return answer.body;
  throw new ProviderError(
    `${hostOf(answer.connection)} sent an answer that is not GitLab's. Check the URL of the git connection.`,
    { retryable: false },
  );
}

function pagesIn(headers: Headers): number | undefined {
  const pages = headers.get('x-total-pages') ?? '';
  return /^\d{1,6}$/.test(pages) ? Number(pages) : undefined;
}

function addressOf({ url }: HostConnection, { path, query = {} }: GitlabRequest): string {
  const address = new URL(`${url}/api/v4/${path}`);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  return address.href;
}

/** Returns git's header for a connection. GitLab accepts any user name with a token. */
export function basicAuthorization(connection: HostConnection): string {
  return `Basic ${Buffer.from(`oauth2:${tokenOf(connection)}`).toString('base64')}`;
}

function tokenOf({ credential }: HostConnection): string {
  if (credential.kind === 'token') return credential.token;
  throw new ProviderError('A connection to GitLab needs an access token.', { retryable: false });
}

function headersOf(connection: HostConnection, { body }: GitlabRequest): Record<string, string> {
  return {
    accept: 'application/json',
    'private-token': tokenOf(connection),
    'user-agent': 'guildhall',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}

/** Returns undefined for anything but JSON, such as a proxy's error page. */
function parse(connection: HostConnection, bytes: Buffer): unknown {
  const excess = bytes.length > limits.bytes ? `has more than ${limits.bytes} bytes` : excessOf(bytes, limits.json);
  if (excess !== undefined) throw new AnswerTooLarge(`An answer of ${hostOf(connection)} ${excess}.`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
