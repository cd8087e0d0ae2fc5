import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBareRepository, type BareRepository } from '../git-server.ts';
import { listen } from '../listen.ts';
import type { WebhookDelivery } from '../../../src/adapters/source-control/port.ts';
import { createAppPages } from './app-pages.ts';
import { answerGraphql, answerRest, isRepository, type ApiRequest } from './api.ts';
import { Failures, type Failure } from './failures.ts';
import { serveRepository } from './git-route.ts';
import { createGrants, type Grants } from './grants.ts';
import { graphqlApi } from './graphql.ts';
import { openApiJudge } from './openapi.ts';
import type { World } from './route.ts';
import { nothingSaid } from './said-state.ts';
import { Answer, type Repository } from './state.ts';

/**
 * A GitHub Enterprise Server in this process, with real repositories, judged by GitHub: every exchange by its OpenAPI description,
 * every GraphQL operation by its schema.
 */
export interface GithubFake {
  /** Its web address; the APIs are below `/api/v3` and at `/api/graphql`, git at `/<owner>/<name>.git`. */
  readonly url: string;
  readonly grants: Grants;
  /** Attempts at deliveries of the App's webhook, the oldest first. */
  readonly deliveries: World['deliveries'];
  readonly world: World;
  readonly codes: World['codes'];
  /** The clock, in milliseconds ahead of this machine's. */
  aheadMs: number;
  /** The number of calls that are left before the primary rate limit; undefined for no limit. */
  budget: number | undefined;
  /** Every request to an API, in order. */
  readonly requests: { method: string; path: string; token: string }[];
  /** Deviations of exchanges from GitHub's descriptions. */
  readonly problems: string[];
  /** Creates a repository with one commit on `main`, or with another one's git data. */
  create(name: string, bare?: BareRepository): Promise<Repository>;
  repository(name: string): Repository;
  rename(from: string, to: string): void;
  delete(name: string): void;
  fail(failure: Failure): void;
  /** Signs a delivery as GitHub does. */
  delivery(secret: string, event: string, payload: unknown): WebhookDelivery;
  now(): Date;
  close(): Promise<void>;
}

export async function startGithubFake(
  description: 'api.github.com' | 'ghes-3.19' = 'ghes-3.19',
  ip: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<GithubFake> {
  const root = await mkdtemp(join(tmpdir(), 'guildhall-github-'));
  const failures = new Failures();
  const graphql = graphqlApi();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      fake.problems.push(`${request.method} ${request.url}: ${String(error)}`);
      response.destroy();
    });
  });
  const { url: address, close } = await listen(server, ip);
  const logs = createServer((request, response) => {
    // Whoever has the address may read it, and no credential goes there.
    if (request.headers.authorization !== undefined)
      fake.problems.push('A credential was sent to the host of the logs.');
    const wanted = Number(request.url?.slice(1));
    const run = world.repositories.flatMap(({ checkRuns }) => checkRuns).find((one) => one.id === wanted);
    response.writeHead(run?.log === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(run?.log);
  });
  const { url: logsUrl, close: closeLogs } = await listen(logs);
  let id = 1_000;
  const now = (): Date => new Date(Date.now() + fake.aheadMs);
  const world: World = {
    url: address,
    logsUrl,
    judge: openApiJudge(description),
    grants: createGrants(now),
    repositories: [],
    deliveries: [],
    appHook: { content_type: 'json', secret: 'the secret of the App' },
    codes: new Set(),
    now,
    nextId: () => (id += 1),
  };
  const appPages = createAppPages(world);
  const repository = (name: string): Repository => {
    const found = world.repositories.find((one) => isRepository(one, name));
    if (found === undefined) throw new Error(`The fake has no repository ${name}.`);
    return found;
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', world.url);
    if (!url.pathname.startsWith('/api/')) {
      if (await appPages(url, request, response)) return;
      const failure = failures.take(request.method ?? '', url.pathname, false);
      if (failure === undefined) await serveRepository(world, url, request, response);
      else respond(response, failure.answer);
      return;
    }
    const text = await textOf(request);
    const asked: ApiRequest = {
      method: request.method ?? '',
      path: url.pathname.replace(/^\/api(?:\/v3)?/, ''),
      query: url.searchParams,
      body: text === '' ? undefined : JSON.parse(text),
      token: request.headers.authorization?.replace(/^Bearer /, '') ?? '',
    };
    fake.requests.push({ method: asked.method, path: asked.path, token: asked.token });
    const before = failures.take(asked.method, asked.path, false);
    if (before !== undefined) return respond(response, before.answer);
    const answer = limited(fake) ?? (await answerTo(asked));
    const after = failures.take(asked.method, asked.path, true);
    if (after !== undefined) return respond(response, after.answer);
    const headers = { 'x-ratelimit-remaining': String(fake.budget ?? 4_999), ...scopesOf(world, asked.token) };
    const body = answer.body === undefined ? '' : JSON.stringify(answer.body);
    respond(response, { status: answer.status, body, headers: { ...headers, ...answer.headers } });
  }

  async function answerTo(asked: ApiRequest): Promise<Answer> {
    try {
      if (asked.path === '/graphql') {
        const { invalid, answer } = await answerGraphql(world, graphql, asked);
        fake.problems.push(...invalid);
        return answer;
      }
      const answer = await answerRest(world, asked);
      return judged(asked, answer);
    } catch (error) {
      if (error instanceof Answer) return judged(asked, error);
      throw error;
    }
  }

  function judged(asked: ApiRequest, answer: Answer): Answer {
    const { method, query, body: requestBody } = asked;
    // A redirect leads to a path that the description does not name.
    const path = asked.path
      .replace(/^\/repositories\/\d+/, '/repos/owner/name')
      // A ref is one parameter although it has slashes.
      .replace(/(?<=\/git\/refs?\/)(.+)$/, (ref) => encodeURIComponent(ref));
    // As it is sent: without fields that are undefined.
    const responseBody: unknown = answer.body === undefined ? undefined : JSON.parse(JSON.stringify(answer.body));
    const exchange = { method, path, query, requestBody, status: answer.status, responseBody };
    if (path !== '/graphql') fake.problems.push(...world.judge.problems(exchange));
    return answer;
  }

  const fake: GithubFake = {
    url: world.url,
    grants: world.grants,
    deliveries: world.deliveries,
    world,
    codes: world.codes,
    aheadMs: 0,
    budget: undefined,
    requests: [],
    problems: [],
    async create(name, bare) {
      const repositoryId = world.nextId();
      const created: Repository = {
        id: repositoryId,
        name,
        oldNames: [],
        isPrivate: true,
        isArchived: false,
        refusesDrafts: false,
        requiresUpToDate: false,
        bare: bare ?? (await withFirstCommit(join(root, `${repositoryId}.git`))),
        pulls: [],
        hooks: [],
        ...nothingSaid(),
      };
      world.repositories.push(created);
      return created;
    },
    repository,
    rename(from, to) {
      const found = repository(from);
      found.oldNames.push(from);
      found.name = to;
    },
    delete: (name) => void (repository(name).name = ''),
    fail: (failure) => failures.add(failure),
    delivery(secret, event, payload) {
      const body = Buffer.from(JSON.stringify(payload));
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = { 'x-github-event': event, 'x-hub-signature-256': `sha256=${signature}` };
      return { headers: { ...headers, 'x-github-delivery': crypto.randomUUID() }, body };
    },
    now,
    async close() {
      await close();
      await closeLogs();
      await rm(root, { recursive: true, force: true });
    },
  };
  return fake;
}

/** Creates a repository with one commit on `main`. */
async function withFirstCommit(directory: string): Promise<BareRepository> {
  const bare = await createBareRepository(directory);
  const tree = await bare.git('hash-object', '-t', 'tree', '-w', '/dev/null');
  await bare.git('update-ref', 'refs/heads/main', await bare.git('commit-tree', tree, '-m', 'first'));
  return bare;
}

/** Counts a call, and returns the refusal beyond the primary rate limit. */
function limited(fake: GithubFake): Answer | undefined {
  if (fake.budget === undefined) return undefined;
  if (fake.budget > 0) {
    fake.budget -= 1;
    return undefined;
  }
  const reset = String(Math.ceil(fake.now().getTime() / 1_000) + 1_800);
  const message = 'API rate limit exceeded for installation ID 1138.';
  return new Answer(403, { message }, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });
}

/** The scopes of a classic token, which GitHub sends with each response. */
function scopesOf({ grants }: World, token: string): Record<string, string> {
  try {
    const grant = grants.of(token);
    return grant.kind === 'token' && grant.scopes !== undefined ? { 'x-oauth-scopes': grant.scopes.join(', ') } : {};
  } catch {
    return {};
  }
}

function respond(
  response: ServerResponse,
  answer: { status: number; body?: string; headers?: Record<string, string> } | undefined,
): void {
  if (answer === undefined) response.destroy();
  else {
    const type = { 'content-type': 'application/json; charset=utf-8' };
    response.writeHead(answer.status, { ...type, ...answer.headers }).end(answer.body ?? '');
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
