import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { sessionIn } from '../../test/support/session-states.ts';

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
