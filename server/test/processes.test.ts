import { Agent, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runningUrl } from '../src/db/embedded/running.ts';
import { openDatabase, type Database } from '../src/db/pool.ts';
import { eventually } from './support/child.ts';
import { mutePackageManagers } from './support/package-managers.ts';
import { askAnew, processesAt, streamAnew } from './support/processes.ts';
import {
  prepareData,
  pushProject,
  startServerProcess,
  temporaryDirectory,
  until,
  type Json,
  type ServerProcess,
} from './support/server.ts';

const organization = '/v3/organizations/default';
const [perSecond, burst] = [20, 300];
const patience = { timeout: 60_000 };

const data = temporaryDirectory();
const directory = join(data.path, 'data');
let server: ServerProcess;
let database: Database;

async function start(): Promise<ServerProcess> {
  return startServerProcess(directory, ['--processes', '2'], {
    PATH: await mutePackageManagers(join(data.path, `programs-${Date.now()}`)),
    GUILDHALL_RATE_LIMIT: `${perSecond}:${burst}`,
    // One for each process.
    GUILDHALL_SLOTS: '2',
    GUILDHALL_LOG_LEVEL: 'info',
  });
}

beforeAll(async () => {
  prepareData(directory);
  server = await start();
  database = openDatabase({
    connectionString: (await runningUrl(directory)) ?? '',
    maxConnections: 1,
    applicationName: 'test',
  });
  await pushProject(server, 'acme/widgets', { 'README.md': 'Widgets.\n' });
}, 120_000);
afterAll(async () => {
  server.process.kill('SIGKILL');
  await server.exited;
  await eventually(() => processesOf().length === 0, 'all of its processes end');
  data.remove();
});

const processesOf = () => processesAt(directory);

/** Sends a request over an agent's connection; returns the status. */
function get(agent: Agent, path: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { agent, headers: { authorization: `Bearer ${key}` } });
    sent.once('response', (response: IncomingMessage) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject).end();
  });
}

/** Returns a connection to each of the two processes. */
async function connections(key: string) {
  const agents = new Map<string, Agent>();
  for (let tries = 0; agents.size < 2 && tries < 20; tries += 1) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const before = await answersOf('/readyz');
    await get(agent, '/readyz', key);
    for (const [number, count] of await answersOf('/readyz'))
      if (count > (before.get(number) ?? 0)) {
        agents.get(number)?.destroy();
        agents.set(number, agent);
      }
  }
  expect([...agents.keys()].toSorted((a, b) => a.localeCompare(b))).toEqual(['1', '2']);
  return {
    get: (which: '1' | '2', path: string) => get(agents.get(which) ?? new Agent(), path, key),
    close: () => agents.forEach((agent) => agent.destroy()),
  };
}

/** Returns how many requests of a route each process has answered. */
async function answersOf(route: string): Promise<Map<string, number>> {
  const text = await (await fetch(String(server.ready['metrics_url']))).text();
  const lines = text.split('\n').filter((line) => line.startsWith('guildhall_http_request_seconds_count{'));
  return new Map(
    lines
      .filter((line) => line.includes(`route="${route}"`))
      .map((line) => [/process="(\d+)"/.exec(line)?.[1] ?? '', Number(line.split(' ').at(-1))]),
  );
}

async function startSession(run: string): Promise<string> {
  const agent = await server.call('POST', '/agents', {
    name: 'works',
    runtime: 'script',
    runtime_config: { steps: [{ run: 'echo begun >> log.txt' }, { run }], summary: 'Done.' },
  });
  const { status, json } = await server.call('POST', `${organization}/sessions`, {
    prompt: 'Work.',
    repositories: [{ repo: 'acme/widgets' }],
    agent_id: agent.json['id'],
  });
  expect(status).toBe(201);
  return String(json['id']);
}

/** Returns the process id of the worker that has a session; 0 if none. */
async function holderOf(id: string): Promise<number> {
  const { rows } = await database.pool.query<{ owner: string | null }>(
    'select lease_owner as owner from sessions where id = $1',
    [id],
  );
  return Number(/-(\d+)-[0-9a-f]{6}$/.exec(rows[0]?.owner ?? '')?.[1] ?? 0);
}

const ended = (json: Json): boolean => ['completed', 'failed', 'canceled'].includes(String(json['status']));

/** Follows a session's stream over a connection of its own. */
async function follow(id: string): Promise<{ numbers: () => number[]; close: () => void }> {
  const url = `${server.url}${organization}/sessions/${id}/events/stream`;
  const { text, close } = await streamAnew(url, { authorization: `Bearer ${server.key}` });
  return { numbers: () => [...text().matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number)), close };
}

describe('npm start with two processes', () => {
  test('both serve and both run sessions, and each stream has all events of a session of either process', async () => {
    const ids = [await startSession('sleep 4'), await startSession('sleep 4')];
    // Each of a session's two is at another process.
    const streams = [];
    for (const id of ids) streams.push({ id, both: [await follow(id), await follow(id)] });
    const holders = async () => new Set((await Promise.all(ids.map(holderOf))).filter((pid) => pid !== 0)).size;
    await expect.poll(holders, patience).toBe(2);
    for (const id of ids)
      expect(await until(server, `${organization}/sessions/${id}`, ended)).toMatchObject({ status: 'completed' });
    for (const { id, both } of streams) {
      const { json } = await server.call('GET', `${organization}/sessions/${id}/events?limit=1`);
      const all = Array.from({ length: Number(json['total']) }, (_, index) => index + 1);
      for (const { numbers, close } of both) {
        await expect.poll(() => numbers().slice(0, all.length), patience).toEqual(all);
        close();
      }
    }
  }, 120_000);

  test('the rate of a key holds over both, and a deleted key is refused by both', async () => {
    const user = await server.call('POST', `${organization}/service-users`, { name: 'machine' });
    const keys = `${organization}/service-users/${String(user.json['id'])}/keys`;
    const made = await server.call('POST', keys, { name: 'key', scopes: ['org:read'] });
    const both = await connections(String(made.json['key']));
    const startedAt = performance.now();
    let passed = 0;
    for (const which of ['1', '2'] as const) {
      for (let sent = 0; sent < 2 * burst; sent += 1) if ((await both.get(which, '/v3/self')) === 200) passed += 1;
      // What a process let through is counted for all within a second.
      await delay(1_500);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(passed).toBeGreaterThanOrEqual(burst);
    expect(passed).toBeLessThanOrEqual(burst + perSecond * (seconds + 1));
    const other = await server.call('POST', keys, { name: 'other', scopes: ['org:read'] });
    both.close();
    await delay(5_000);
    const again = await connections(String(other.json['key']));
    const statuses = async () => [await again.get('1', '/v3/self'), await again.get('2', '/v3/self')];
    expect(await statuses()).toEqual([200, 200]);
    expect((await server.call('DELETE', `${keys}/${String(other.json['id'])}`)).status).toBeLessThan(300);
    await expect.poll(statuses, { timeout: 2_000 }).toEqual([401, 401]);
    again.close();
  }, 120_000);

  test('a killed process loses nothing: its session and its connection go on at the other one, and another process follows', async () => {
    const id = await startSession('sleep 6');
    await expect.poll(() => holderOf(id), patience).toBeGreaterThan(0);
    const began = async (): Promise<boolean> => {
      const { rows } = await database.pool.query(
        `select from session_events where session_id = $1 and data::text like '%sleep 6%'`,
        [id],
      );
      return rows.length > 0;
    };
    await expect.poll(began, patience).toBe(true);
    const first = await holderOf(id);
    // A stopped process takes no connection, so one of these is on its way to it when it is killed.
    process.kill(first, 'SIGSTOP');
    let answered = 0;
    const asked = [1, 2, 3, 4].map(async () => {
      const { status } = await askAnew(`${server.url}/healthz`);
      answered += 1;
      return status;
    });
    await expect.poll(() => answered, patience).toBe(3);
    process.kill(first, 'SIGKILL');
    expect(await Promise.all(asked)).toEqual([200, 200, 200, 200]);
    await expect.poll(() => holderOf(id), patience).not.toBeOneOf([first, 0]);
    expect(await until(server, `${organization}/sessions/${id}`, ended)).toMatchObject({ status: 'completed' });
    const numbers = async (): Promise<number[]> => {
      const text = await (await fetch(String(server.ready['metrics_url']))).text();
      return [...text.matchAll(/^process_cpu_seconds_total\{process="(\d+)"/gm)].map(([, number]) => Number(number));
    };
    await expect.poll(async () => (await numbers()).toSorted((a, b) => a - b), patience).toEqual([1, 2]);
    (await connections(server.key)).close();
  }, 180_000);

  test('keeps a second one off the same data directory', async () => {
    await expect(start()).rejects.toThrow(`The data directory ${directory} is in use`);
  }, 60_000);

  test('SIGTERM drains both and the database, and the next start goes on with what they had', async () => {
    const id = await startSession('sleep 3');
    await expect.poll(() => holderOf(id), patience).toBeGreaterThan(0);
    await database.close();
    server.process.kill('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 0 });
    expect(processesOf()).toEqual([]);
    server = await start();
    expect(await until(server, `${organization}/sessions/${id}`, ended)).toMatchObject({ status: 'completed' });
  }, 180_000);

  test('SIGKILL of the supervising process leaves no process behind', async () => {
    expect(processesOf().length).toBeGreaterThanOrEqual(4);
    server.process.kill('SIGKILL');
    await server.exited;
    await eventually(() => processesOf().length === 0, 'all of its processes end', 30_000);
  }, 60_000);
});
