import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { purgeRepositories } from '../src/features/repositories/purge-service.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { lockTable } from './support/failures.ts';
import { createGitUser, withKey, type GitUser } from './support/git.ts';
import { startServerProcess, type ServerProcess } from './support/server.ts';

const repositories = '/v3/organizations/default/repositories';

let api: TestApi;
let ada: GitUser;
let server: ServerProcess;
/** The URL of a repository to import. */
let source: string;
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/source' } });
  source = withKey(String(json['clone_url']), api.adminKey);
  await ada.git(await ada.start({ 'a.txt': 'one\n' }), 'push', '-q', source, 'main');
  server = await startServerProcess(api.ctx.config.data, ['--role', 'api'], {
    DATABASE_URL: api.connectionString,
    GUILDHALL_RATE_LIMIT: '0',
    GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.0/8',
  });
});
afterAll(async () => {
  server.process.kill('SIGKILL');
  await ada.close();
  await api.close();
});

/** Returns what the built-in host has of an organization. */
async function entries(): Promise<string[]> {
  const root = api.ctx.config.repositories;
  const organization = (await readdir(root)).find((entry) => !entry.startsWith('.')) ?? '';
  return (await readdir(join(root, organization))).map((name) => join(root, organization, name)).toSorted();
}

/** Purges as the maintenance of another process does, some hours later. */
const purge = (hours: number): Promise<void> =>
  purgeRepositories({ ...api.ctx, clock: { now: () => new Date(Date.now() + hours * 3_600_000) } });

const counted = async (): Promise<number> =>
  (await api.ctx.db.pool.query(`select from stored_bytes where key like 'repositories/%'`)).rowCount ?? 0;

/** Has the other process import a repository, and waits until its files are in place, while a lock keeps it from its next write. */
async function begin(table: string, repo: string) {
  const before = await entries();
  const lock = await lockTable(api.connectionString, table);
  const answer = fetch(`${server.url}${repositories}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'local', repo, import_url: source }),
  }).then(
    async (response) => [response.status, Object(await response.json()).error],
    () => ['none'],
  );
  const made = async (): Promise<string | undefined> =>
    (await entries()).find((path) => path.endsWith('.git') && !before.includes(path));
  await expect.poll(made, { timeout: 30_000 }).toBeDefined();
  return { lock, answer, path: (await made()) ?? '', before };
}

/** Waits until a statement of the other process waits for the locked table. */
const waits = (): Promise<void> =>
  expect
    .poll(
      async () =>
        (await api.ctx.db.pool.query('select from pg_locks where not granted and relation is not null')).rowCount,
      { timeout: 30_000 },
    )
    .toBe(1);

test('a repository that is being recorded is not taken away, however long that takes', async () => {
  const { lock, answer, path } = await begin('repositories', 'acme/slow');
  await waits();
  await purge(2);
  expect(existsSync(path)).toBe(true);
  await lock.release();
  expect(await answer).toEqual([201, undefined]);
  await purge(2);
  expect(existsSync(path)).toBe(true);
  expect((await entries()).filter((name) => !name.endsWith('.git'))).toEqual([]);
  const { json } = await api.call('GET', `${repositories}?search=acme/slow`);
  expect(json['total']).toBe(1);
});

test('one that was taken away before it was recorded is not recorded, and nothing of it stays', async () => {
  const { lock, answer, path, before } = await begin('stored_bytes', 'acme/late');
  await waits();
  const purged = purge(2);
  await expect.poll(() => existsSync(path), { timeout: 10_000 }).toBe(false);
  await lock.release();
  await purged;
  expect(await answer).toEqual([503, 'capacity_unavailable']);
  expect(await entries()).toEqual(before);
  const { json } = await api.call('GET', `${repositories}?search=acme/late`);
  expect(json['total']).toBe(0);
});

test('a process killed between an import and its record leaves nothing for more than an hour, and no repository is lost', async () => {
  const before = await counted();
  const { lock, answer, path, before: kept } = await begin('repositories', 'acme/killed');
  await waits();
  const active = `select from pg_stat_activity where datname = current_database() and query like 'insert into "repositories"%'
    and state <> 'idle'`;
  expect((await api.ctx.db.pool.query(active)).rowCount).toBe(1);
  server.process.kill('SIGKILL');
  expect(await answer).toEqual(['none']);
  await server.exited;
  await lock.release();
  // The database ends the transaction of the dead process.
  await expect.poll(async () => (await api.ctx.db.pool.query(active)).rowCount).toBe(0);
  expect((await api.ctx.db.pool.query(`select from repositories where repo = 'acme/killed'`)).rowCount).toBe(0);
  expect([existsSync(path), await counted()]).toEqual([true, before + 1]);

  await purge(0);
  expect(existsSync(path)).toBe(true);
  await purge(2);
  expect([await entries(), await counted()]).toEqual([kept, before]);
  const body = { provider: 'local', repo: 'acme/killed' };
  expect((await api.call('POST', repositories, { body })).status).toBe(201);
});

test('one of which only the note is missing that it is recorded stays', async () => {
  const { gitHost } = api.ctx;
  const usual = gitHost.open;
  gitHost.open = (...ids) => ({ ...usual(...ids), noteRecorded: () => Promise.reject(new Error('ended')) });
  const body = { provider: 'local', repo: 'acme/unnoted' };
  const { status, json } = await api.call('POST', repositories, { body });
  gitHost.open = usual;
  expect(status).toBe(201);
  expect((await entries()).some((name) => name.endsWith(`${String(json['id'])}.git.new`))).toBe(true);
  await purge(2);
  const left = (await entries()).filter((name) => name.includes(String(json['id'])));
  expect(left.map((name) => name.replace(/^.*\//, ''))).toEqual([`${String(json['id'])}.git`]);
});
