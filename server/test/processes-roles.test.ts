import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { mutePackageManagers } from './support/package-managers.ts';
import { childrenOf, processesAt } from './support/processes.ts';
import {
  pushProject,
  startServerProcess,
  temporaryDirectory,
  until,
  type Json,
  type ServerProcess,
} from './support/server.ts';

const organization = '/v3/organizations/default';
const data = temporaryDirectory();
let database: TestDatabase;
const started: ServerProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const { process } of started) process.kill('SIGTERM');
  for (const { exited } of started) expect(await exited).toMatchObject({ code: 0 });
  expect(processesAt(data.path)).toEqual([]);
  await database.drop();
  data.remove();
});

async function start(name: string, args: string[], variables: Record<string, string>): Promise<ServerProcess> {
  const server = await startServerProcess(join(data.path, name), args, {
    PATH: await mutePackageManagers(join(data.path, `programs-${name}-${Date.now()}`)),
    DATABASE_URL: database.connectionString,
    GUILDHALL_BLOBS: join(data.path, 'blobs'),
    GUILDHALL_KEY_RING: join(data.path, 'key-ring'),
    GUILDHALL_SLOTS: '3',
    ...variables,
  });
  started.push(server);
  return server;
}

const childrenCount = ({ process }: ServerProcess) => childrenOf(process.pid ?? 0).length;

describe('several processes of one role', () => {
  test('API processes and workers, each under one of their own, run sessions', async () => {
    const api = await start('api', ['--role', 'api', '--processes', '2'], {});
    const workers = await start('workers', ['--role', 'worker', '--processes', '2'], { GUILDHALL_URL: api.url });
    expect([childrenCount(api), childrenCount(workers)]).toEqual([2, 2]);
    const { json } = await api.call('GET', '/readyz');
    const named = Object(json).workers.map(({ id, slots }: { id: string; slots: number }) => ({ id, slots }));
    expect(String(workers.ready['worker']).split(' ').toSorted()).toEqual(
      named.map(({ id }: { id: string }) => id).toSorted(),
    );
    expect(named.map(({ slots }: { slots: number }) => slots).toSorted()).toEqual([1, 2]);
    await pushProject(api, 'acme/widgets', { 'README.md': 'Widgets.\n' });
    const agent = await api.call('POST', '/agents', {
      name: 'works',
      runtime: 'script',
      runtime_config: { steps: [{ run: 'echo done > done.txt' }], summary: 'Done.' },
    });
    const ids: string[] = [];
    for (let number = 0; number < 3; number += 1) {
      const body = { prompt: 'Work.', repositories: [{ repo: 'acme/widgets' }], agent_id: agent.json['id'] };
      ids.push(String((await api.call('POST', `${organization}/sessions`, body)).json['id']));
    }
    const ended = (session: Json): boolean => ['completed', 'failed'].includes(String(session['status']));
    for (const id of ids)
      expect(await until(api, `${organization}/sessions/${id}`, ended)).toMatchObject({ status: 'completed' });
  }, 120_000);

  test('a worker has no process without a slot', async () => {
    const { url } = started[0] ?? { url: '' };
    const variables = { GUILDHALL_URL: url, GUILDHALL_SLOTS: '2' };
    const worker = await start('few', ['--role', 'worker', '--processes', '8'], variables);
    expect(childrenCount(worker)).toBe(2);
  }, 60_000);
});

test('a number of processes that cannot be is refused with a sentence', async () => {
  for (const wrong of ['0', '-1', 'abc', '1e9', '65', '1.5', '']) {
    const refused = start('refused', [`--processes=${wrong}`], {});
    await expect(refused).rejects.toThrow(
      `--processes / GUILDHALL_PROCESSES is ${JSON.stringify(wrong)}; it must be auto or a whole number from 1 to 64.`,
    );
  }
  await expect(start('refused', ['--processes', '-1'], {})).rejects.toThrow('--processes=');
  await expect(start('refused', [], { GUILDHALL_PROCESSES: '1e9' })).rejects.toThrow('auto or a whole number');
}, 60_000);
