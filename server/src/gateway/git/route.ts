import type { IncomingMessage } from 'node:http';
import type { Dialer } from '../net/dial.ts';
import { checkUrl } from '../net/dial.ts';
import { answerFailure, answerText, hasBody, pickHeaders, relay, sendUpstream, type Exchange } from '../net/forward.ts';
import { servePush } from './push.ts';
import type { GatewayEvent, GatewayRepository, PushRight, RepositoryName } from '../session.ts';
import { trimEndOf } from '../../lib/trim.ts';

export interface GitPolicy {
  readonly dialer: Dialer;
  readonly repositories: readonly GatewayRepository[];
  holds(): Promise<boolean>;
  pushRight(repository: RepositoryName): PushRight | undefined;
  event(event: GatewayEvent): void;
}

/** The path of a repository below a gateway's base URL. */
export function gitPath({ provider, repo }: RepositoryName): string {
  return `/git/${[provider, ...repo.split('/')].map(encodeURIComponent).join('/')}.git`;
}

/** A plain-text error response with its reason. */
class GitAnswer extends Error {
  readonly status: number;
  readonly refusal: 'git_policy' | 'git_lease' | 'git_repository' | undefined;

  constructor(status: number, message: string, refusal?: GitAnswer['refusal']) {
    super(message);
    this.status = status;
    this.refusal = refusal;
  }
}

interface GitCall {
  readonly repository: GatewayRepository;
  readonly operation: 'info/refs' | 'git-upload-pack' | 'git-receive-pack';
  readonly service: 'git-upload-pack' | 'git-receive-pack';
}

/**
 * Serves git's smart HTTP (gitprotocol-http) for the session's repositories. `url` is the request's; its path starts with
 * `/git/`.
 */
export async function serveGit(policy: GitPolicy, exchange: Exchange, url: URL): Promise<void> {
  const { request, response } = exchange;
  let target = url.pathname.slice(0, 300);
  try {
    const call = readCall(policy, request, url);
    target = nameOf(call.repository);
    await assertHolds(policy);
    if (call.service === 'git-upload-pack') return await serveFetch(policy, exchange, call);
    const right = policy.pushRight(call.repository);
    if (right === undefined) throw new GitAnswer(403, `This session may not push to ${target}.`, 'git_policy');
    if (call.operation === 'info/refs') return await serveFetch(policy, exchange, call);
    await forwardPush(policy, exchange, call, right);
  } catch (error) {
    if (error instanceof GitAnswer) {
      const { refusal: reason, message } = error;
      if (reason !== undefined) policy.event({ kind: 'refused', reason, target, message });
      answerText(response, error.status, message, reason === undefined ? {} : { 'x-guildhall-refused': reason });
    } else answerFailure(response, error, target);
  }
}

function readCall(policy: GitPolicy, request: IncomingMessage, url: URL): GitCall {
  const match = /^(.*)\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(url.pathname);
  const [, base = '', operation = ''] = match ?? [];
  const repository = policy.repositories.find((candidate) => sameRepository(base, candidate));
  if (repository === undefined) throw new GitAnswer(404, 'This session has no such repository.', 'git_repository');
  const service = operation === 'info/refs' ? url.searchParams.get('service') : operation;
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack')
    throw new GitAnswer(403, "No such path. Only git's smart HTTP protocol is served here.");
  if (request.method !== (operation === 'info/refs' ? 'GET' : 'POST'))
    throw new GitAnswer(405, `Method not allowed: ${request.method ?? ''}.`);
  return { repository, service, operation: operation === 'info/refs' ? operation : service };
}

function sameRepository(base: string, repository: GatewayRepository): boolean {
  const path = gitPath(repository);
  return base === path || base === path.slice(0, -'.git'.length) || decoded(base) === decoded(path);
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function nameOf({ provider, repo }: RepositoryName): string {
  return `${provider}/${repo}`;
}

async function assertHolds(policy: GitPolicy): Promise<void> {
  if (await policy.holds()) return;
  throw new GitAnswer(409, 'This run has lost its lease: another worker has taken over the session.', 'git_lease');
}

const requestHeaders = ['accept', 'accept-language', 'content-type', 'git-protocol', 'user-agent'];
const fetchHeaders = [...requestHeaders, 'accept-encoding', 'content-encoding', 'content-length'];
const answerHeaders = ['cache-control', 'content-encoding', 'content-length', 'content-type', 'expires', 'pragma'];

async function serveFetch(policy: GitPolicy, exchange: Exchange, call: GitCall): Promise<void> {
  const { request } = exchange;
  const body = hasBody(request) ? request : undefined;
  const chunked = body !== undefined && request.headers['content-length'] === undefined;
  const upstream = await open(policy, call, request.method ?? 'GET', {
    ...pickHeaders(request.headers, fetchHeaders),
    ...(chunked ? { 'transfer-encoding': 'chunked' } : {}),
  });
  const answer = await sendUpstream(exchange, upstream, body);
  try {
    const headers = judge(call, answer);
    await relay(exchange, answer, { status: 200, headers });
  } catch (error) {
    upstream.destroy();
    throw error;
  }
}

function forwardPush(policy: GitPolicy, exchange: Exchange, call: GitCall, right: PushRight): Promise<void> {
  const { provider, repo } = call.repository;
  return servePush(exchange, {
    right,
    assertHolds: () => assertHolds(policy),
    open: (framing) =>
      open(policy, call, 'POST', { ...pickHeaders(exchange.request.headers, requestHeaders), ...framing }),
    judge: (answer) => judge(call, answer),
    refused: (message) =>
      policy.event({ kind: 'refused', reason: 'git_policy', target: nameOf(call.repository), message }),
    pushed: (ref, commit) => policy.event({ kind: 'git_push', provider, repo, ref, commit }),
  });
}

async function open(policy: GitPolicy, call: GitCall, method: string, headers: ReturnType<typeof pickHeaders>) {
  const { repository } = call;
  const remote = new URL(repository.remoteUrl);
  const authorization = (await repository.authorization()) ?? basicOf(remote);
  const url = new URL(remote.origin);
  url.pathname = `${trimEndOf(remote.pathname, '/')}/${call.operation}`;
  if (call.operation === 'info/refs') url.search = `service=${call.service}`;
  const checked = await checkUrl(policy.dialer, url, 'git', { exempt: repository.exempt ?? false });
  return policy.dialer.request(url, checked, {
    method,
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
  });
}

function basicOf(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/**
 * Returns the headers of a git host's successful response. Replaces any other response by a message of the gateway, as its text
 * could contain credentials.
 */
function judge(call: GitCall, answer: IncomingMessage): Record<string, string> {
  const status = answer.statusCode ?? 502;
  const name = nameOf(call.repository);
  if (status >= 300 && status < 400)
    throw new GitAnswer(
      502,
      `The git host redirects ${name} (${status}). Redirects are not followed: correct the repository's URL.`,
    );
  if (status === 401 || status === 403)
    throw new GitAnswer(
      403,
      `The git host rejected the connection's credentials for ${name} (${status}). Update the git connection.`,
    );
  if (status === 404)
    throw new GitAnswer(404, `The git host has no repository ${name}, or the connection has no access to it.`);
  if (status !== 200)
    throw new GitAnswer(status >= 400 ? status : 502, `The git host responded with status ${status} for ${name}.`);
  const result = call.operation === 'info/refs' ? 'advertisement' : 'result';
  if (!(answer.headers['content-type'] ?? '').startsWith(`application/x-${call.service}-${result}`))
    throw new GitAnswer(502, `The host of ${name} did not respond as a git host. Check the repository's URL.`);
  const picked: Record<string, string> = {};
  for (const name_ of answerHeaders) {
    const value = answer.headers[name_];
    if (typeof value === 'string') picked[name_] = value;
  }
  return picked;
}
