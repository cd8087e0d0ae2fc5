import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { mutePackageManagers } from './support/package-managers.ts';
import { startServerProcess, temporaryDirectory, type Json, type ServerProcess } from './support/server.ts';

const mebibyte = 1024 ** 2;
const [perSecond, burst] = [5, 60];
const root = '/v3/organizations/default';

const data = temporaryDirectory();
const processes: ServerProcess[] = [];
let database: TestDatabase;
/** A PATH without package managers, which workers would query. */
let quietPath: string;
let apis: ServerProcess[];
let adminKey: string;
/** A key of the same user in another organization. */
let otherKey: string;

/** Starts one of the installation's processes. */
async function start(name: string, role: 'api' | 'worker', url = ''): Promise<ServerProcess> {
  const started = await startServerProcess(join(data.path, name), ['--role', role], {
    DATABASE_URL: database.connectionString,
    GUILDHALL_BLOBS: join(data.path, 'blobs'),
    GUILDHALL_KEY_RING: join(data.path, 'key-ring'),
    GUILDHALL_REPOSITORIES: join(data.path, 'repositories'),
    GUILDHALL_RATE_LIMIT: `${perSecond}:${burst}`,
    GUILDHALL_STORAGE_MAX: '10MiB',
    GUILDHALL_ORGANIZATIONS_PER_PERSON: '4',
    GUILDHALL_SLOTS: '2',
    ...(url === '' ? {} : { GUILDHALL_URL: url, PATH: quietPath }),
  });
  processes.push(started);
  return started;
}

beforeAll(async () => {
  database = await createTestDatabase();
  quietPath = await mutePackageManagers(join(data.path, 'programs'));
  const first = await start('first', 'api');
  adminKey = first.key;
  apis = [first, await start('second', 'api')];
  otherKey = String((await ask('POST', '/v3/organizations', { name: 'Other' })).json['key']);
});
afterAll(async () => {
  for (const { process } of processes) process.kill('SIGTERM');
  for (const { exited } of processes) expect(await exited).toMatchObject({ code: 0 });
  await database.drop();
  data.remove();
});

/** Calls the API processes in turn. */
let turn = 0;
async function ask(method: string, path: string, body?: unknown, key = adminKey) {
  turn += 1;
  return askAt(apis[turn % apis.length], method, path, body, key);
}

async function askAt(api: ServerProcess | undefined, method: string, path: string, body: unknown, key: string) {
  const content = body instanceof FormData ? body : body === undefined ? undefined : JSON.stringify(body);
  const type: Record<string, string> = typeof content === 'string' ? { 'content-type': 'application/json' } : {};
  const headers: Record<string, string> = { ...type, ...(key === '' ? {} : { authorization: `Bearer ${key}` }) };
  const response = await fetch(`${api?.url}${path}`, {
    method,
    headers,
    ...(content === undefined ? {} : { body: content }),
  });
  const text = await response.text();
  const json: Json = text === '' ? {} : JSON.parse(text);
  return { status: response.status, json };
}

/** Sends concurrent requests to the processes in turn; counts the responses by status. */
async function askOften(times: number, one: (number: number) => Promise<{ status: number }>) {
  const answers = await Promise.all(Array.from({ length: times }, (_, number) => one(number)));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Creates a service user with keys that have these scopes. */
async function machine(keys: number, scopes: string[]): Promise<{ id: string; keys: string[]; path: string }> {
  const { json } = await ask('POST', `${root}/service-users`, { name: 'machine' });
  const path = `${root}/service-users/${String(json['id'])}/keys`;
  const made: string[] = [];
  while (made.length < keys) made.push(String((await ask('POST', path, { name: 'key', scopes })).json['key']));
  return { id: String(json['id']), keys: made, path };
}

/** Returns the shared tokens of a bucket. */
async function tokensOf(bucket: string): Promise<number> {
  const { rows } = await database.database.pool.query<{ tokens: number }>(
    `select tokens from rate_limits where key_id = coalesce((select id from api_keys where hash = $1), $1)`,
    [bucket],
  );
  return rows[0]?.tokens ?? Infinity;
}

describe('over two API processes', () => {
  test('all keys of one caller together have its rate once', async () => {
    const { id, keys } = await machine(15, ['org:read']);
    const startedAt = performance.now();
    const send = async (api: ServerProcess | undefined) =>
      (
        await askOften(450, (number) => askAt(api, 'GET', '/v3/self', undefined, keys[number % keys.length] ?? ''))
      )[200] ?? 0;
    let passed = await send(apis[0]);
    expect(passed).toBeGreaterThanOrEqual(5 * burst);
    // On a slow machine as many tokens come meanwhile as are spent.
    const spend = async () => {
      if ((await tokensOf(id)) >= 5) passed += await send(apis[0]);
      return tokensOf(id);
    };
    await expect.poll(spend, { timeout: 120_000 }).toBeLessThan(5);
    passed += await send(apis[1]);
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(passed).toBeLessThanOrEqual(5 * (burst + perSecond * (seconds + 1)));
  });

  test('wrong passwords are counted once, wherever they are tried', async () => {
    const wrong = (number: number) => ({ email: 'admin@localhost', password: `wrong ${number}` });
    const counts = await askOften(12, (number) => ask('POST', '/v3/auth/sign-in', wrong(number), ''));
    expect(counts).toEqual({ 401: 5, 429: 7 });
  });

  test('a caller has no more keys than it may', async () => {
    const { id, path } = await machine(1, ['run']);
    await database.database.pool.query(
      `insert into api_keys select (jsonb_populate_record(k, jsonb_build_object('id', k.id || n, 'hash', k.hash || n))).*
       from api_keys k, generate_series(1, 496) n where k.principal_id = $1`,
      [id],
    );
    expect(await askOften(8, () => ask('POST', path, { name: 'one more', scopes: ['run'] }))).toEqual({
      201: 3,
      409: 5,
    });
  });

  test('a person makes no more organizations than they may', async () => {
    const counts = await askOften(6, (number) => ask('POST', '/v3/organizations', { name: `Another ${number}` }));
    const made = `select count(*)::int as made from members where source = 'direct'`;
    const { rows } = await database.database.pool.query<{ made: number }>(made);
    expect([counts[201], rows]).toEqual([6 - (counts[403] ?? 0), [{ made: 4 }]]);
  });

  test('an organization keeps no more than it may', async () => {
    const { keys } = await machine(1, ['attachments:write', 'org:read']);
    const upload = (): FormData => {
      const form = new FormData();
      form.append('file', new Blob([randomBytes(3 * mebibyte)]), 'data.bin');
      return form;
    };
    expect(await askOften(8, () => ask('POST', `${root}/attachments`, upload(), keys[0]))).toEqual({ 201: 3, 402: 5 });
    const seen = await Promise.all(apis.map((api) => askAt(api, 'GET', `${root}/storage`, undefined, keys[0] ?? '')));
    for (const { json } of seen) expect(json).toMatchObject({ by_kind: { attachments: 9 * mebibyte } });
  });
});

test('two workers share slots fairly, and run no more sessions of an organization than it says', async () => {
  await ask('PUT', `${root}/settings/sessions`, { max_concurrent: 2 });
  const begin = async (key: string, organization: string): Promise<string> => {
    const steps = [{ run: 'echo from $(date +%s%N); sleep 3; echo to $(date +%s%N)' }];
    const agent = await ask(
      'POST',
      '/agents',
      { name: 'slow', runtime: 'script', runtime_config: { steps, summary: '' } },
      key,
    );
    const body = { prompt: 'Wait.', repositories: [], agent_id: String(agent.json['id']) };
    const { status, json } = await ask('POST', `/v3/organizations/${organization}/sessions`, body, key);
    expect(status).toBe(201);
    return String(json['id']);
  };
  const many: string[] = [];
  while (many.length < 4) many.push(await begin(adminKey, 'default'));
  const one = await begin(otherKey, 'other');
  await Promise.all([1, 2].map((number) => start(`worker-${number}`, 'worker', apis[0]?.url)));
  const owners = new Set<string>();
  const look = async (): Promise<string[]> => {
    const { rows } = await database.database.pool.query<{ status: string; lease_owner: string }>(
      'select status, lease_owner from sessions',
    );
    for (const { lease_owner: owner } of rows) if (owner !== '') owners.add(owner);
    return rows.map(({ status }) => status);
  };
  await expect.poll(look, { timeout: 100_000, interval: 50 }).toEqual(Array.from({ length: 5 }, () => 'completed'));
  expect(owners.size).toBe(2);
  /** Returns the start and the end of a session's work, in nanoseconds. */
  const workOf = async (id: string): Promise<{ from: bigint; to: bigint }> => {
    const { rows } = await database.database.pool.query<{ text: string }>(
      `select string_agg(data ->> 'text', '' order by seq) as text from session_events where session_id = $1 and kind = 'output'`,
      [id],
    );
    const [, from = '0', to = '0'] = /from (\d+)\s+to (\d+)/.exec(rows[0]?.text ?? '') ?? [];
    return { from: BigInt(from), to: BigInt(to) };
  };
  const works = await Promise.all(many.map(workOf));
  for (const { from } of works)
    expect(works.filter((work) => work.from <= from && from < work.to).length).toBeLessThan(3);
  const { from } = await workOf(one);
  expect(from).toBeGreaterThan(0n);
  expect(works.filter((work) => work.from < from && from < work.to).length).toBeLessThan(3);
  expect(works.filter((work) => work.to <= from)).toEqual([]);
});
