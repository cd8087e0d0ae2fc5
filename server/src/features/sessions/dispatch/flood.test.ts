import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { queueingOrganization, queueSession, type QueueingOrganization } from '../../../../test/support/queueing.ts';
import { flood } from '../../../../test/support/flood.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { openDatabase, type Database } from '../../../db/pool.ts';
import { claimNext, finish, type ClaimedRun } from '../run/run-service.ts';
import { beginTurn } from '../run/turn-service.ts';
import { hasStartable, listStartable } from '../store/turns-store.ts';

let api: TestApi;
/** One connection, for {@link rowsRead}. */
let single: Database;
beforeAll(async () => {
  api = await startTestApi();
  const { connectionString } = api;
  single = openDatabase({ connectionString, maxConnections: 1, applicationName: 'single', statementTimeoutMs: 0 });
});
afterAll(async () => {
  await single.close();
  await api.close();
});
beforeEach(async () => {
  await api.ctx.db.pool.query('delete from sessions');
});

const organization = () => queueingOrganization(api, 'Flood');
const create = (of: QueueingOrganization) => queueSession(api, of);

async function next(): Promise<ClaimedRun> {
  const run = await claimNext(api.ctx, 'worker-1');
  if (run === undefined) throw new Error('nobody may begin');
  return run;
}

async function end(run: ClaimedRun): Promise<void> {
  await beginTurn(api.ctx, run, 1);
  const change = { status: 'completed', status_detail: 'finished', sandbox_state: 'none', sandboxSeconds: 1 } as const;
  await finish(api.ctx, run, change);
}

/** Returns how many rows and index entries of sessions are read by a look for the next one, and by that of an idle worker. */
async function readByLook(): Promise<{ idle: number; next: number }> {
  await api.ctx.db.pool.query('vacuum analyze sessions');
  const now = api.ctx.clock.now();
  return {
    idle: await rowsRead(single, 'sessions', () => hasStartable(single, now)),
    next: await rowsRead(single, 'sessions', () => listStartable(single, { limit: 1, now, takesOver: true })),
  };
}

test('a flood of an organization keeps no other waiting, with four slots or one', async () => {
  const flooding = await organization();
  const others = [await organization(), await organization(), await organization()];
  await flood(api.ctx.db, [flooding.id], 10_000);
  const running = [await next(), await next(), await next(), await next()];
  expect(new Set(running.map(({ orgId }) => orgId))).toEqual(new Set([flooding.id]));
  const waiting = new Map<string, string[]>();
  for (const one of others) waiting.set(one.id, [await create(one), await create(one)]);
  const order: string[] = [];
  // Each slot that becomes free goes to who has none, until everybody has one.
  for (const run of running.splice(0, 3)) {
    await end(run);
    const begun = await next();
    order.push(begun.orgId);
    expect(begun.id).toBe(waiting.get(begun.orgId)?.[0]);
    running.push(begun);
  }
  expect(order.toSorted()).toEqual(others.map(({ id }) => id).toSorted());
  for (const run of running) await end(run);
  // With one slot they take turns: nobody waits for more than one session of each other.
  const turns: string[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    const run = await next();
    turns.push(run.orgId);
    await end(run);
  }
  for (const { id } of others) expect(turns.slice(0, 4).filter((turn) => turn === id)).toHaveLength(1);
  expect(turns.slice(4)).toEqual(Array.from({ length: 4 }, () => flooding.id));
});

test('a look for the next session reads some rows of a queue of thousands, and that of an idle worker too', async () => {
  const ids = [(await organization()).id, (await organization()).id, (await organization()).id];
  await flood(api.ctx.db, ids, 3_000);
  const { idle, next: looked } = await readByLook();
  expect(looked).toBeLessThan(40);
  expect(idle).toBeLessThan(20);
});

test('a flood beyond a limit is put into its queue in parts, when its worker has other work', async () => {
  const limited = await organization();
  const put = { key: limited.key, body: { max_concurrent: 1 } };
  expect((await api.call('PUT', `${limited.path}/settings/sessions`, put)).status).toBe(200);
  await flood(api.ctx.db, [limited.id], 60);
  const held = async (): Promise<number> => {
    const { rows } = await api.ctx.db.pool.query<{ count: number }>(
      `select count(*) from sessions where waits_for <> '' and status_detail = 'capacity'`,
    );
    return rows[0]?.count ?? 0;
  };
  await next();
  let asked = 0;
  const isWanted = (): boolean => (asked += 1) >= 10;
  expect(await claimNext(api.ctx, 'worker-1', { isWanted })).toBeUndefined();
  expect(await held()).toBe(10);
  expect(await claimNext(api.ctx, 'worker-1')).toBeUndefined();
  expect(await held()).toBe(59);
});
