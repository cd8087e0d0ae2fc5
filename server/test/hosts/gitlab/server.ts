import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Value } from 'typebox/value';
import { listen } from '../listen.ts';
import { createGitRequests } from './git-requests.ts';
import { refusal, roleIn, type FakeAnswer, type FakeRoute } from './route.ts';
import { routes } from './routes.ts';
import { createFakeState, type FakeProject, type FakeState, type FakeToken } from './state.ts';

/** An answer instead of the right one, or the loss of it. */
export type Failure =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The request has its effect, but its answer never arrives. */
  | 'lose-answer';

export interface Exchange {
  readonly method: string;
  /** As in GitLab's OpenAPI document; `''` if the fake has no such route. */
  readonly route: string;
  readonly url: string;
  readonly body: unknown;
  readonly answer: FakeAnswer;
}

/** A GitLab in this process: REST routes and git over HTTP on real repositories. */
export interface FakeGitlab extends FakeState {
  /** The web address. */
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  /** Requests that GitLab does not document; a test expects none. */
  readonly mistakes: readonly string[];
  /** Lets the next request with this method whose URL contains the text fail, `times` times. */
  fail(method: string, part: string, how: Failure, times?: number): void;
  /** Calls `then` after git requests were answered, for example to revoke a token between the two of a push. */
  afterGit(then: (path: string) => void): void;
}

export async function startFakeGitlab(): Promise<FakeGitlab> {
  const state = await createFakeState();
  const exchanges: Exchange[] = [];
  const mistakes: string[] = [];
  const failures: { method: string; part: string; how: Failure }[] = [];
  const git = createGitRequests(state);
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    if (!url.startsWith('/api/v4/')) return void git.answer(request, response).catch(() => response.destroy());
    const at = failures.findIndex((one) => one.method === method && url.includes(one.part));
    const [failure] = at < 0 ? [] : failures.splice(at, 1);
    return void answerApi({ state, url: address.url, exchanges, mistakes }, request, response, failure?.how).catch(
      (error: unknown) => {
        mistakes.push(String(error));
        response.destroy();
      },
    );
  });
  const address = await listen(server);
  return {
    ...state,
    url: address.url,
    exchanges,
    mistakes,
    fail(method, part, how, times = 1) {
      for (let round = 0; round < times; round += 1) failures.push({ method, part, how });
    },
    afterGit: (then) => git.after(then),
    async close() {
      await address.close();
      await state.close();
    },
  };
}

interface World {
  state: FakeState;
  url: string;
  exchanges: Exchange[];
  mistakes: string[];
}

async function answerApi(world: World, request: IncomingMessage, response: ServerResponse, failure?: Failure) {
  const body = await text(request);
  if (failure !== undefined && failure !== 'lose-answer') {
    response.writeHead(failure.status, { 'content-type': 'application/json', ...failure.headers });
    response.end(typeof failure.body === 'string' ? failure.body : JSON.stringify(failure.body ?? {}));
    return;
  }
  const { answer, location } = await answerTo(world, request, body);
  if (failure === 'lose-answer') return void response.destroy();
  response.writeHead(answer.status, {
    'content-type': answer.isText === true ? 'text/plain' : 'application/json',
    ...answer.headers,
    ...(location === undefined ? {} : { location }),
  });
  response.end(answer.isText === true ? String(answer.body) : JSON.stringify(answer.body));
}

async function answerTo(world: World, request: IncomingMessage, body: string) {
  const { method = '' } = request;
  const url = new URL(request.url ?? '/', world.url);
  const parts = url.pathname.slice('/api/v4'.length).split('/').map(decodeURIComponent);
  const route = routes.find((one) => one.method === method && matches(one.path, parts));
  const given: unknown = body === '' ? {} : JSON.parse(body);
  const found = await decide(world, route, { request, url, parts, given });
  const { answer } = found;
  world.exchanges.push({ method, route: route?.path ?? '', url: url.pathname + url.search, body: given, answer });
  if (route === undefined) world.mistakes.push(`${method} ${url.pathname} is not a route`);
  return found;
}

interface Given {
  request: IncomingMessage;
  url: URL;
  parts: string[];
  given: unknown;
}

async function decide(
  { state, url: base, mistakes }: World,
  route: FakeRoute | undefined,
  { request, url, parts, given }: Given,
): Promise<{ answer: FakeAnswer; location?: string }> {
  const token = state.tokens.get(String(request.headers['private-token'] ?? ''));
  const refused = refuseToken(token, request.method === 'GET');
  if (refused !== undefined || token === undefined) return { answer: refused ?? refusal(401, '401 Unauthorized') };
  if (route === undefined) return { answer: { status: 404, body: { error: '404 Not Found' } } };
  const mistake = mistakeIn(route, url, given);
  if (mistake !== '') {
    mistakes.push(`${route.method} ${route.path}: ${mistake}`);
    return { answer: { status: 400, body: { error: mistake } } };
  }
  const [, , name = '', , number = '0'] = parts;
  const query = Object.fromEntries(url.searchParams);
  const names = namesIn(route.path, parts);
  const call = { state, url: base, token, number: Number(number), names, query, body: given };
  if (!route.path.includes('{id}')) return { answer: await route.answer({ ...call, project: nowhere }) };
  const { project, isFormer } = projectNamed(state, name);
  if (project === undefined || (roleIn(project, token) === 0 && project.visibility !== 'public'))
    return { answer: refusal(404, '404 Project Not Found') };
  if (isFormer && route.method !== 'GET')
    return { answer: refusal(405, 'Non GET methods are not allowed for moved projects') };
  if (isFormer) {
    const location = url.href.replace(encodeURIComponent(name), String(project.id));
    return { answer: refusal(301, '301 Moved Permanently'), location };
  }
  if (roleIn(project, token) < (route.role ?? 0) && !(route.method === 'GET' && project.visibility === 'public'))
    return { answer: refusal(403, '403 Forbidden') };
  return { answer: await route.answer({ ...call, project }) };
}

/** The project of routes outside of projects. */
const nowhere: FakeProject = Object.freeze(Object.create(null));

/** Finds a project by its number or its encoded path. */
function projectNamed(state: FakeState, name: string): { project: FakeProject | undefined; isFormer: boolean } {
  const all = [...state.projects.values()];
  const current = all.find(({ id, path }) => String(id) === name || path === name);
  const former = all.find(({ formerPaths }) => formerPaths.includes(name));
  return { project: current ?? former, isFormer: current === undefined && former !== undefined };
}

function refuseToken(token: FakeToken | undefined, isRead: boolean): FakeAnswer | undefined {
  if (token === undefined) return refusal(401, '401 Unauthorized');
  if (token.state !== 'active') {
    const why = token.state === 'revoked' ? 'Token was revoked.' : 'Token is expired.';
    return { status: 401, body: { error: 'invalid_token', error_description: why } };
  }
  if (token.scopes.includes('api') || (isRead && token.scopes.includes('read_api'))) return undefined;
  const error_description = 'The request requires higher privileges than provided by the access token.';
  return {
    status: 403,
    body: { error: 'insufficient_scope', error_description, scope: isRead ? 'api read_api' : 'api' },
  };
}

function mistakeIn({ query = {}, body, method }: FakeRoute, url: URL, given: unknown): string {
  for (const [name, value] of url.searchParams)
    if (query[name]?.test(value) !== true) return `${name} does not have a valid value`;
  if (method === 'GET' || body === undefined) return '';
  const [problem] = Value.Errors(body, given);
  return problem === undefined ? '' : `${problem.instancePath} ${problem.message}`;
}

function namesIn(path: string, parts: readonly string[]): Record<string, string> {
  const named = path.split('/').map((part, index) => [part.replaceAll(/[{}]/g, ''), parts[index] ?? '']);
  return Object.fromEntries(named);
}

function matches(path: string, parts: readonly string[]): boolean {
  const names = path.split('/');
  return names.length === parts.length && names.every((name, index) => name.startsWith('{') || name === parts[index]);
}
