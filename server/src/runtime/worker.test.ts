import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from 'pg';
import { createRuntimeFixture, type RuntimeFixture } from '../../test/support/sessions.ts';

let fixture: RuntimeFixture;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
});
afterAll(() => fixture.close());

test('a worker that stops asks the database for nothing afterwards', async () => {
  const { pool } = fixture.api.ctx.db;
  const worker = await fixture.startWorker();
  const client = new Client({ connectionString: fixture.api.connectionString });
  await client.connect();
  await client.query('begin; lock table sessions in access exclusive mode');
  const waits = async (): Promise<true | undefined> => {
    const { rows } = await pool.query(`select from pg_stat_activity where wait_event_type = 'Lock'
      and application_name = 'guildhall test worker' and query like '%sessions s%'`);
    return rows.length > 0 || undefined;
  };
  await fixture.until(waits, 'the worker looks for sessions');
  const order: string[] = [];
  const drained = worker.drain(10_000).then(() => order.push('drained'));
  const drains = async (): Promise<true | undefined> =>
    (await pool.query('select from workers where not draining')).rows.length === 0 || undefined;
  await fixture.until(drains, 'the worker drains');
  order.push('released');
  await client.end();
  await drained;
  expect(order).toEqual(['released', 'drained']);
});
