import { rename } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from 'pg';
import type { Database } from '../db/pool.ts';
import { claim } from '../features/sessions/run/run-service.ts';
import type { WorkerContext } from './context.ts';
import { flood } from '../../test/support/flood.ts';
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

test('a worker claims the next session, not the one that woke it', async () => {
  const { api } = fixture;
  const agent = { steps: [{ run: 'true' }], summary: '' };
  const ours = [await fixture.create({ agent }), await fixture.create({ agent }), await fixture.create({ agent })];
  const { slug, key } = await api.createOrganization('Late');
  const path = `/v3/organizations/${slug}`;
  const body = { name: 'script', runtime: 'script', runtime_config: agent };
  const { id: agent_id } = (await api.call('POST', `${path}/agents`, { key, body })).json;
  const late = await api.call('POST', `${path}/sessions`, { key, body: { prompt: 'Begin.', agent_id } });
  await fixture.startWorker({ slots: 1 });
  for (const { id } of ours) await fixture.reaches(id, 'completed', 'failed');
  const wanted = [ours[0]?.id, late.json['id'], ours[1]?.id, ours[2]?.id];
  const { rows } = await api.ctx.db.pool.query('select id from sessions where id = any ($1) order by started_at', [
    wanted,
  ]);
  expect(rows.map(({ id }) => id)).toEqual(wanted);
  await fixture.stopWorkers();
});

test('a worker that cannot write blobs takes no sessions, and /readyz says why', async () => {
  const { api } = fixture;
  const worker = await fixture.startWorker({ id: 'worker-without-blobs' });
  const { blobs } = api.ctx.config;
  const repository = await fixture.repository({ answer: '41\n' });
  const readiness = async () => (await api.call('GET', '/readyz')).json;
  await rename(blobs, `${blobs}.away`);
  await fixture.until(async () => (await readiness())['storage'] === 'unavailable' || undefined, 'it is noticed');
  await fixture.until(
    async () => JSON.stringify(await readiness()).includes('could not be stored') || undefined,
    'why',
  );
  const { id } = await fixture.create({ repository, agent: { steps: [{ run: 'echo 42 > answer' }], summary: '' } });
  // Longer than a worker's polling interval.
  const since = performance.now();
  await fixture.until(async () => performance.now() - since > 5_000 || undefined, 'five seconds');
  expect([(await fixture.get(id)).status, worker.busy()]).toEqual(['queued', 0]);
  await rename(`${blobs}.away`, blobs);
  expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed', attempt_no: 1 });
  expect(await readiness()).toMatchObject({ status: 'ready', storage: 'ok' });
});

test('a worker that starts does not wait until the leftovers of others are removed', async () => {
  const { promise: removed, resolve: remove } = Promise.withResolvers<number>();
  const change = (ctx: WorkerContext): WorkerContext => ({ ...ctx, sandbox: { ...ctx.sandbox, sweep: () => removed } });
  await fixture.startWorker({ change });
  const { id } = await fixture.create({ agent: { steps: [{ run: 'true' }], summary: '' } });
  await fixture.reaches(id, 'completed');
  remove(0);
  await fixture.stopWorkers();
});

test('a worker whose pool is busy for longer than a lease keeps its sessions', async () => {
  const timings = { leaseMs: 3_000, heartbeatMs: 500, pollMs: 500 };
  const pools: Database[] = [];
  const change = (ctx: WorkerContext): WorkerContext => {
    pools.push(ctx.db);
    return ctx;
  };
  await fixture.startWorker({ timings, change });
  const { id } = await fixture.create({ agent: { steps: [{ run: 'sleep 8' }], summary: 'Slept.' } });
  await fixture.reaches(id, 'running');
  await fixture.startWorker({ timings });
  await Promise.all(pools.flatMap(({ pool }) => Array.from({ length: 10 }, () => pool.query('select pg_sleep(6)'))));
  const { rows } = await fixture.api.ctx.db.pool.query(
    'select fence::int, lease_until > now() as held from sessions where id = $1',
    [id],
  );
  expect(rows).toEqual([{ fence: 1, held: true }]);
  await fixture.reaches(id, 'completed');
  await fixture.stopWorkers();
});

test('a worker continues a lost session while thousands beyond a limit are put into their queue', async () => {
  const { api } = fixture;
  const { pool } = api.ctx.db;
  const { id, slug, key } = await api.createOrganization('Limited');
  await api.call('PUT', `/v3/organizations/${slug}/settings/sessions`, { key, body: { max_concurrent: 1 } });
  await flood(api.ctx.db, [id], 6_000);
  // Another worker has the only slot of the organization, and the session that will be lost.
  const lost = await fixture.create({ agent: { steps: [{ run: 'true' }], summary: 'Done.' } });
  const first = await pool.query<{ id: string }>(
    'select id from sessions where org_id = $1 order by created_at limit 1',
    [id],
  );
  for (const taken of [lost.id, first.rows[0]?.id ?? ''])
    expect(await claim(api.ctx, taken, 'worker-elsewhere', { leaseMs: 600_000 })).toBeDefined();
  const held = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(`select count(*) from sessions where waits_for <> ''`);
    return rows[0]?.count ?? 0;
  };
  await fixture.startWorker({ slots: 2 });
  await fixture.until(async () => (await held()) > 20 || undefined, 'the flood is being put into its queue');
  await pool.query(`update sessions set lease_until = now() - interval '1 s' where id = $1`, [lost.id]);
  await fixture.reaches(lost.id, 'completed');
  expect(await held()).toBeLessThan(5_900);
  await fixture.stopWorkers();
});
