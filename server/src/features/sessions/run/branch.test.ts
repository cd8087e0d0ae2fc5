import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { startDatabaseProxy } from '../../../../test/support/database-proxy.ts';
import { sessionIn, start } from '../../../../test/support/session-states.ts';
import { openDatabase } from '../../../db/pool.ts';
import { branchOf, LeaseLost } from './run-service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

test('the branch of a run outlasts a connection that breaks while it is read', async () => {
  const { id } = await sessionIn(api, 'queued');
  const lost = new AbortController();
  const run = { ...(await start(api, id)), lost: lost.signal };
  const { pool } = api.ctx.db;
  const repositories = JSON.stringify([{ repository_id: 'repo_1', branch: 'guildhall/fix' }]);
  await pool.query('update sessions set repositories = $2 where id = $1', [id, repositories]);
  const proxy = await startDatabaseProxy(api.connectionString);
  const db = openDatabase({ connectionString: proxy.connectionString, maxConnections: 2, applicationName: 'branch' });
  const holder = await pool.connect();
  try {
    await holder.query('begin; lock table sessions in access exclusive mode');
    const branch = branchOf({ ...api.ctx, db }, run, 'repo_1');
    const waiting = `select from pg_stat_activity where application_name = 'branch' and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await pool.query(waiting)).rowCount, { timeout: 10_000 }).toBe(1);
    proxy.cut();
    await holder.query('commit');
    proxy.mend();
    expect(await branch).toBe('guildhall/fix');
    await expect(branchOf({ ...api.ctx, db }, { ...run, fence: run.fence + 1 }, 'repo_1')).rejects.toThrow(LeaseLost);
  } finally {
    holder.release(true);
    await db.close();
    await proxy.close();
  }
});
