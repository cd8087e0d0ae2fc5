import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { messageOf } from '../../src/lib/errors.ts';
import { startTestApi, type TestApi } from './api.ts';
import { createClosing } from './closing.ts';
import { createGitUser } from './git.ts';
import { runGit } from './run-git.ts';
import { ChangeRequest, EventPage, Session, type TestEvent, type TestSession } from './session-shapes.ts';
import { startTestWorker, type TestWorker, type TestWorkerOptions } from './worker.ts';

export type { TestEvent, TestSession };

export interface TestRepository {
  id: string;
  repo: string;
  cloneUrl: string;
}

export interface SessionInput {
  repository?: TestRepository;
  repositories?: unknown[];
  /** `runtime_config` of a script agent for this session; by default the built-in agent runs. */
  agent?: object;
  [field: string]: unknown;
}

export interface RuntimeFixture {
  api: TestApi;
  /**
   * Makes one worker the only one: the current default one, or with options a new one. A test that ends its worker
   * passes an id, so that no other test reuses it. Call it in `beforeEach` if a test stops workers: the next test then
   * has one even if that test failed.
   */
  worker(options?: TestWorkerOptions): Promise<TestWorker>;
  startWorker(options?: TestWorkerOptions): Promise<TestWorker>;
  /** Drains the running workers. */
  stopWorkers(): Promise<void>;
  /** Keeps the worker from claiming sessions until it is resumed. */
  pauseWorkers(): Promise<{ resume(): Promise<void> }>;
  until<T>(look: () => Promise<T | undefined>, what: string): Promise<T>;
  /** Creates a repository on the built-in host whose `main` has these files. */
  repository(files: Record<string, string>, environment?: object): Promise<TestRepository>;
  create(input: SessionInput): Promise<TestSession>;
  /** Creates a session and waits for its end. */
  run(input: SessionInput): Promise<TestSession>;
  get(id: string): Promise<TestSession>;
  /** Waits until the session is in one of these states. */
  reaches(id: string, ...statuses: string[]): Promise<TestSession>;
  events(id: string): Promise<TestEvent[]>;
  /** Waits for an event that matches. */
  event(id: string, matches: (event: TestEvent) => boolean): Promise<TestEvent>;
  changeRequests(repository: TestRepository): Promise<Static<typeof ChangeRequest>[]>;
  /** Clones a branch as a user does; returns its directory. */
  clone(repository: TestRepository, branch: string): Promise<string>;
  git(cwd: string, ...args: string[]): Promise<string>;
  close(): Promise<void>;
}

const organization = '/v3/organizations/default';
const ended = ['completed', 'failed', 'canceled', 'waiting', 'suspended'];
const patienceMs = 150_000;
/** Pauses between two polls, growing with the time. */
const pauses = { firstMs: 20, longestMs: 250, factor: 1.3 };

/** Returns the error of a wait that was in vain, with the session's last events. */
function withEvents(error: unknown, events: readonly TestEvent[]): Error {
  const last = events.slice(-20).map(({ kind, data }) => `${kind} ${JSON.stringify(data).slice(0, 200)}`);
  return new Error([messageOf(error), ...last].join('\n'), { cause: error });
}

/**
 * Starts the API with its git host, and workers with real sandboxes. `logTo` is a file descriptor for the API's log;
 * `everyWorker` are options of all workers.
 */
export async function createRuntimeFixture(
  environment: Record<string, string> = {},
  logTo?: number,
  everyWorker: TestWorkerOptions = {},
): Promise<RuntimeFixture> {
  const api = await startTestApi(environment, logTo);
  const files = await mkdtemp(join(tmpdir(), 'guildhall-sessions-'));
  const workers: TestWorker[] = [];
  let plain: TestWorker | undefined;
  let count = 0;

  async function ask<T extends TSchema>(shape: T, method: string, path: string, body?: unknown): Promise<Static<T>> {
    const answer = await api.call(method, `${organization}${path}`, body === undefined ? {} : { body });
    if (answer.status >= 300 || !Value.Check(shape, answer.json))
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 2_000)}`);
    return answer.json;
  }

  async function until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    const deadline = performance.now() + patienceMs;
    for (let pauseMs = pauses.firstMs; ; pauseMs = Math.min(pauses.longestMs, pauseMs * pauses.factor)) {
      const found = await look();
      if (found !== undefined) return found;
      if (performance.now() > deadline) throw new Error(`not within ${patienceMs / 1_000} s: ${what}`);
      await delay(pauseMs);
    }
  }

  /** Returns the events of a session after a cursor, and the next cursor. */
  async function eventsAfter(id: string, cursor: string): Promise<{ events: TestEvent[]; cursor: string }> {
    const events: TestEvent[] = [];
    for (let after = cursor; ;) {
      const query = `first=200${after === '' ? '' : `&after=${after}`}`;
      const page = await ask(EventPage, 'GET', `/sessions/${id}/events?${query}`);
      events.push(...page.items);
      if (page.items.length > 0) after = page.end_cursor;
      if (!page.has_next_page) return { events, cursor: after };
    }
  }

  /**
   * Returns what changes with every event of a session, or undefined if it cannot be read. A request for each look would
   * cost ten times as much.
   */
  async function rowOf(id: string): Promise<{ status: string; lastSeq: string } | undefined> {
    const query = api.ctx.db.kysely.selectFrom('sessions').select(['status', 'last_seq']).where('id', '=', id);
    const row = await query.executeTakeFirst().catch(() => undefined);
    return row === undefined ? undefined : { status: row.status, lastSeq: String(row.last_seq) };
  }

  /** Waits for an event; checks each one once. */
  async function waitForEvent(id: string, matches: (event: TestEvent) => boolean): Promise<TestEvent> {
    const seen: TestEvent[] = [];
    let cursor = '';
    let last: string | undefined;
    const look = async (): Promise<TestEvent | undefined> => {
      const row = await rowOf(id);
      if (row !== undefined && row.lastSeq === last) return undefined;
      last = row?.lastSeq;
      const next = await eventsAfter(id, cursor);
      ({ cursor } = next);
      seen.push(...next.events);
      return next.events.find(matches);
    };
    return until(look, `an event of ${id}`).catch((error: unknown) => {
      throw withEvents(error, seen);
    });
  }

  async function waitForStatus(id: string, statuses: string[]): Promise<TestSession> {
    let session = await fixture.get(id);
    const look = async (): Promise<TestSession | undefined> => {
      const row = await rowOf(id);
      if (row !== undefined && !statuses.includes(row.status)) return undefined;
      session = await fixture.get(id);
      return statuses.includes(session.status) ? session : undefined;
    };
    try {
      return await until(look, `${id} becomes ${statuses.join(' or ')}`);
    } catch (error) {
      session = await fixture.get(id).catch(() => session);
      const { status, status_detail: detail, sandbox_state: sandbox, attempt_no: attempt } = session;
      const now = new Error(`it is ${status}, ${detail}, sandbox ${sandbox}, attempt ${attempt}`, { cause: error });
      throw withEvents(now, (await eventsAfter(id, '')).events);
    }
  }

  async function scriptAgent(config: object): Promise<string> {
    const answer = await api.call('POST', '/agents', {
      body: { name: `script-${count}`, runtime: 'script', runtime_config: config },
    });
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.json['id']);
  }

  const git = async (cwd: string, ...args: string[]): Promise<string> => {
    const config = [
      '-c',
      'user.name=Ada',
      '-c',
      'user.email=ada@example.org',
      '-c',
      `http.extraHeader=authorization: Bearer ${api.adminKey}`,
    ];
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
    return runGit(cwd, [...config, ...args], env);
  };

  const user = await createGitUser();
  const workTrees = new Map<string, Promise<string>>();
  /** Returns a work tree with one commit of this content, the same one for the same content. */
  const workTree = (content: Record<string, string>): Promise<string> => {
    const key = JSON.stringify(content);
    const existing = workTrees.get(key) ?? user.start(content);
    workTrees.set(key, existing);
    return existing;
  };

  const fixture: RuntimeFixture = {
    api,
    until,
    git,
    async worker(options) {
      if (plain !== undefined && workers.length === 1 && options === undefined) return plain;
      await fixture.stopWorkers();
      return fixture.startWorker(options);
    },
    async startWorker(options) {
      const worker = await startTestWorker(api.ctx, api.url, { ...everyWorker, ...options });
      workers.push(worker);
      if (options === undefined) plain = worker;
      return worker;
    },
    async stopWorkers() {
      plain = undefined;
      // All at once: none takes over what another hands over.
      const ends = await Promise.allSettled(workers.splice(0).map((worker) => worker.close()));
      const failures = ends.flatMap((end) => (end.status === 'rejected' ? [messageOf(end.reason)] : []));
      if (failures.length > 0) throw new Error(`A worker did not stop. ${failures.join('; ')}`);
    },
    async pauseWorkers() {
      await fixture.stopWorkers();
      return {
        resume: async () => {
          await fixture.startWorker();
        },
      };
    },
    async repository(content, environment_) {
      const number = (count += 1);
      const repo = `acme/project-${number}`;
      const made = await ask(Type.Object({ id: Type.String(), clone_url: Type.String() }), 'POST', '/repositories', {
        provider: 'local',
        repo,
      });
      if (environment_ !== undefined)
        await ask(Type.Object({}), 'PATCH', `/repositories/${made.id}`, { environment: environment_ });
      const work = await workTree(content);
      await git(work, 'push', '-q', made.clone_url, 'main');
      return { id: made.id, repo, cloneUrl: made.clone_url };
    },
    async create({ repository, agent, ...input }) {
      count += 1;
      const chosen = agent === undefined ? {} : { agent_id: await scriptAgent(agent) };
      const repositories = repository === undefined ? [] : [{ repo: repository.repo }];
      return ask(Session, 'POST', '/sessions', {
        prompt: 'Set the answer right.',
        repositories,
        ...input,
        ...chosen,
      });
    },
    async run(input) {
      const { id } = await fixture.create(input);
      return fixture.reaches(id, ...ended);
    },
    get: (id) => ask(Session, 'GET', `/sessions/${id}`),
    reaches: (id, ...statuses) => waitForStatus(id, statuses),
    events: async (id) => (await eventsAfter(id, '')).events,
    event: waitForEvent,
    async changeRequests({ id }) {
      const list = Type.Object({ items: Type.Array(Type.Object({ number: Type.Integer() })) });
      const { items } = await ask(list, 'GET', `/repositories/${id}/change-requests`);
      return Promise.all(
        items.map(({ number }) => ask(ChangeRequest, 'GET', `/repositories/${id}/change-requests/${number}`)),
      );
    },
    async clone(repository, branch) {
      count += 1;
      const directory = join(files, `clone-${count}`);
      await git(files, 'clone', '-q', '-b', branch, repository.cloneUrl, directory);
      return directory;
    },
    async close() {
      const closing = createClosing();
      closing.add('the clones', () => rm(files, { recursive: true, force: true }));
      closing.add('the git user', () => user.close());
      closing.add('the API', () => api.close());
      closing.add('the workers', () => fixture.stopWorkers());
      await closing.close();
    },
  };
  return fixture;
}
