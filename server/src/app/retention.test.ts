import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { sessionIn } from '../../test/support/session-states.ts';
import { createLayerStore } from '../adapters/sandbox/layer-store.ts';
import { lockDataDirectory } from '../lib/file-lock.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Runs the operator's command on the database and data directory of the API. */
async function admin(...args: string[]): Promise<{ exitCode: number | undefined; said: string }> {
  const { data } = api.ctx.config;
  const { exitCode, stdout, stderr } = await execa({
    reject: false,
    timeout: 50_000,
    env: { DATABASE_URL: api.connectionString },
  })`${process.execPath} ${new URL('../admin.ts', import.meta.url).pathname} ${args} --data ${data}`;
  return { exitCode, said: `${stdout}${stderr}` };
}

async function parsed(...args: string[]): Promise<unknown> {
  return JSON.parse((await admin(...args, '--json')).said);
}

test('the operator sees what would be removed, removes it, and is told the same', async () => {
  const path = '/v3/organizations/default';
  const org = String((await api.call('GET', path)).json['id']);
  await api.call('PUT', `${path}/settings/retention`, { body: { events_days: 1 } });
  expect(await admin('retention')).toEqual({ exitCode: 0, said: 'There is nothing to remove.' });
  const { id } = await sessionIn(api, 'completed');
  const { pool } = api.ctx.db;
  // The session of an earlier day has an earlier id.
  await pool.query(
    `insert into sessions select (jsonb_populate_record(s,
       jsonb_build_object('id', 'ses_0', 'updated_at', now() - interval '5 days'))).* from sessions s where id = $1`,
    [id],
  );
  await pool.query(
    `update session_events set session_id = 'ses_0', created_at = created_at - interval '5 days' where session_id = $1`,
    [id],
  );
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from session_events');
  const count = rows[0]?.n ?? 0;
  await api.ctx.blobs.put(`checkpoints/${org}/ses_gone/1-1-0`, Buffer.alloc(2_048));
  await api.ctx.blobs.put('checkpoints/org_gone/ses_gone/1-1-0', Buffer.alloc(10));

  const removed = [
    { organization: 'default', kind: 'events', count, bytes: expect.any(Number) },
    { organization: 'default', kind: 'checkpoint-blobs', count: 1, bytes: 2_048 },
    { organization: 'org_gone', kind: 'checkpoint-blobs', count: 1, bytes: 10 },
  ];
  const dry = await parsed('retention');
  expect(dry).toEqual({ dry_run: true, removed });
  expect(await parsed('retention', '--org', 'default')).toEqual({ dry_run: true, removed: removed.slice(0, 2) });
  const { said } = await admin('retention');
  expect(said).toMatch(/^This would be removed\..*each night\.\n/);
  expect(said).toMatch(/\n {2}default +checkpoint-blobs +1 +2 KiB\n/);
  const applied = await parsed('retention', 'apply');
  expect(applied).toEqual({ ...Object(dry), dry_run: false });
  expect(await parsed('retention')).toEqual({ dry_run: true, removed: [] });
  expect((await pool.query('select 1 from session_events')).rowCount).toBe(0);
});

test('mirrors and layers of this machine go with their repository, or unused for 30 days, but not under a server', async () => {
  const { data } = api.ctx.config;
  const repositories = '/v3/organizations/default/repositories';
  const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/kept' } });
  const org = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  const mirror = (orgId: string, id: string): string => join(data, 'mirrors', orgId, 'gc_1', `${id}.git`);
  const layer = (digit: string): string => join(data, 'work/layers', org, digit.repeat(32));
  const kept = mirror(org, String(json['id']));
  const removed = [mirror(org, 'repo_gone'), mirror('org_gone', 'repo_x')];
  const old = Date.now() / 1_000 - 31 * 86_400;
  for (const path of [kept, ...removed]) await mkdir(path, { recursive: true });
  const layers = createLayerStore(join(data, 'sandboxes'), api.ctx.log);
  await mkdir(join(layer('a'), '..'), { recursive: true });
  for (const path of [layer('a'), layer('b')]) {
    const made = await layers.save((directory) => writeFile(join(directory, 'home'), 'x'));
    await writeFile(`${path}.json`, JSON.stringify({ layer: made, commits: [] }));
  }
  for (const path of [kept, ...removed, layer('a'), layer('b')]) await writeFile(`${path}.lock`, '');
  await utimes(`${layer('b')}.lock`, old, old);
  const there = () => [kept, ...removed, `${layer('a')}.json`, `${layer('b')}.json`].map((path) => existsSync(path));
  const found = [
    { organization: 'default', kind: 'cache', count: 2, bytes: expect.any(Number) },
    { organization: 'org_gone', kind: 'cache', count: 1, bytes: expect.any(Number) },
  ];
  const lock = await lockDataDirectory(data);
  expect(await parsed('retention', 'apply')).toEqual({ dry_run: false, removed: [] });
  await lock.release();
  const dry = await parsed('retention');
  expect(dry).toEqual({ dry_run: true, removed: found });
  expect(there()).toEqual([true, true, true, true, true]);
  expect(await parsed('retention', 'apply')).toEqual({ ...Object(dry), dry_run: false });
  expect(there()).toEqual([true, false, false, true, false]);
  expect(await layers.list()).toHaveLength(1);
  expect(await parsed('retention')).toEqual({ dry_run: true, removed: [] });
});

test('an unknown organization, verb, or another storage than that of the installation is refused', async () => {
  expect(await admin('retention', '--org', 'nobody')).toMatchObject({
    exitCode: 1,
    said: expect.stringContaining('nobody'),
  });
  expect(await admin('retention', 'everything')).toMatchObject({ exitCode: 2 });
  const { exitCode, stderr } = await execa({
    reject: false,
    timeout: 50_000,
    env: { DATABASE_URL: api.connectionString, GUILDHALL_BLOBS: `${api.ctx.config.data}/others` },
  })`${process.execPath} ${new URL('../admin.ts', import.meta.url).pathname} retention apply --data ${api.ctx.config.data}`;
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('GUILDHALL_BLOBS')]);
});
