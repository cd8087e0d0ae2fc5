import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../test/support/database-proxy.ts';
import { openDatabase } from '../db/pool.ts';
import { recordWorker, removeWorker } from '../features/sessions/run/worker-service.ts';
import { Presence } from './presence.ts';

/** Below it, no lease can have expired. */
const leaseMs = 4_000;
/** A process id that no process has: it is larger than the kernel allows. */
const pidOfPooler = 2_000_000_000;

let api: TestApi;
const ends: (() => Promise<unknown>)[] = [];
let number = 0;
beforeAll(async () => {
  api = await startTestApi();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => api.close());

interface Worker {
  id: string;
  /** Its connection to the database: a cut ends it as the end of its process does. */
  proxy: DatabaseProxy;
  presence: Presence;
  /** Number of times that it found others to have ended, lost its own lock, and regained it. */
  found: number;
  lost: number;
  regained: number;
}

/** Starts the presence of a worker that has sent one heartbeat. */
async function startWorker(options: { tellsPid?: number } = {}): Promise<Worker> {
  const { config, log } = api.ctx;
  const id = `worker-${(number += 1)}`;
  const proxy = await startDatabaseProxy(api.connectionString, options);
  const db = openDatabase({ connectionString: proxy.connectionString, maxConnections: 2, applicationName: id });
  const ctx = {
    config: { ...config, processId: id },
    db,
    log,
    timings: { leaseMs, heartbeatMs: 1_000, pollMs: 1_000 },
  };
  const worker: Worker = {
    id,
    proxy,
    found: 0,
    lost: 0,
    regained: 0,
    presence: new Presence(ctx, {
      leases: { beat: () => (worker.lost += 1), afterOutage: () => (worker.regained += 1) },
      onGone: () => (worker.found += 1),
    }),
  };
  ends.push(async () => {
    proxy.mend();
    await worker.presence.stop();
    await removeWorker(api.ctx, id);
    await db.close();
    await proxy.close();
  });
  await beat(worker);
  await worker.presence.start();
  return worker;
}

async function startListed(): Promise<Worker> {
  const worker = await startWorker();
  await expect.poll(() => isListed(worker), { timeout: 10_000 }).toBe(true);
  return worker;
}

async function beat({ id }: Worker): Promise<void> {
  await recordWorker(api.ctx, { id, host: 'here', slots: 1, busy: 1, draining: false, sandbox: {}, problem: '' });
}

async function isListed({ id }: Worker): Promise<boolean> {
  const { rows } = await api.ctx.db.pool.query('select from worker_presence where worker_id = $1', [id]);
  return rows.length === 1;
}

async function isGone({ id }: Worker): Promise<boolean> {
  const { rows } = await api.ctx.db.pool.query('select from workers where id = $1 and gone_at is not null', [id]);
  return rows.length === 1;
}

/** Returns the milliseconds until a worker counts as gone; undefined if it does not within `withinMs`. */
async function goneAfter(worker: Worker, withinMs: number): Promise<number | undefined> {
  const from = performance.now();
  for (;;) {
    if (await isGone(worker)) return performance.now() - from;
    if (performance.now() - from > withinMs) return undefined;
    await delay(20);
  }
}

async function endConnections(where: string, values: unknown[] = []): Promise<void> {
  await api.ctx.db.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${where}`, values);
}

const holdsLock = `pid = (select backend_pid from worker_presence where worker_id = $1)`;

test('a worker whose process ended is gone long before its lease, and the others are told', async () => {
  const [dies, lives] = [await startListed(), await startListed()];
  dies.proxy.cut();
  const after = await goneAfter(dies, 10_000);
  expect(after).toBeGreaterThan(900);
  expect(after).toBeLessThan(leaseMs);
  await expect.poll(() => lives.found).toBe(1);
  expect(await isGone(lives)).toBe(false);
  await beat(dies);
  expect(await isGone(dies)).toBe(false);
});

test('a worker that starts finds one whose process ended before', async () => {
  const dies = await startListed();
  dies.proxy.cut();
  await startListed();
  expect(await goneAfter(dies, leaseMs)).toBeDefined();
});

test('a worker whose connections the server ends comes back, and nobody counts it as gone', async () => {
  const [loses, looks] = [await startListed(), await startListed()];
  for (let round = 1; round <= 8; round += 1) {
    await endConnections(round % 2 === 0 ? holdsLock : `application_name in ($1, 'guildhall presence')`, [loses.id]);
    expect(await goneAfter(loses, 300)).toBeUndefined();
    await expect.poll(() => isListed(loses), { timeout: 10_000 }).toBe(true);
  }
  expect([loses.lost >= 8, loses.regained]).toEqual([true, loses.lost]);
  expect(await goneAfter(loses, 2_500)).toBeUndefined();
  expect(looks.found).toBe(0);
});

test('a worker that lost its lock for good but is heard of keeps its sessions until their leases expire', async () => {
  const [loses, looks] = [await startListed(), await startListed()];
  loses.proxy.cut();
  const beating = setInterval(() => void beat(loses), 300);
  const after = await goneAfter(loses, 3_500);
  clearInterval(beating);
  expect([after, looks.found]).toEqual([undefined, 0]);
});

test('locks of an earlier server mean nothing: nobody is gone because that one ended', async () => {
  const [dies] = [await startListed(), await startListed()];
  await api.ctx.db.pool.query(
    `update worker_presence set server_started_at = server_started_at - interval '1 minute' where worker_id = $1`,
    [dies.id],
  );
  dies.proxy.cut();
  expect(await goneAfter(dies, 3_000)).toBeUndefined();
});

test('after all connections were cut, the others have the length of a lease to come back', async () => {
  const [dies, looks] = [await startListed(), await startListed()];
  dies.proxy.cut();
  looks.proxy.cut();
  await delay(500);
  looks.proxy.mend();
  const from = performance.now();
  expect(await goneAfter(dies, 10_000)).toBeDefined();
  expect(performance.now() - from).toBeGreaterThan(leaseMs);
});

test('after a worker lost its lock and withdrew through its pool, the others have as long to come back', async () => {
  const [dies, looks] = [await startListed(), await startListed()];
  const ended = endConnections(holdsLock, [looks.id]);
  dies.proxy.cut();
  await ended;
  const from = performance.now();
  expect(await goneAfter(dies, 10_000)).toBeDefined();
  expect(performance.now() - from).toBeGreaterThan(leaseMs);
});

test('a worker whose process ends after a failure of the server is gone as fast as ever', async () => {
  const [dies, looks] = [await startListed(), await startListed()];
  // A crash empties the table.
  await api.ctx.db.pool.query('delete from worker_presence');
  await endConnections(`application_name = 'guildhall presence'`);
  for (const worker of [dies, looks]) await expect.poll(() => isListed(worker), { timeout: 10_000 }).toBe(true);
  dies.proxy.cut();
  expect(await goneAfter(dies, 10_000)).toBeLessThan(leaseMs);
});

test('a worker that stops is not gone', async () => {
  const [stops, looks] = [await startListed(), await startListed()];
  await stops.presence.stop();
  expect(await isListed(stops)).toBe(false);
  expect(await goneAfter(stops, 2_500)).toBeUndefined();
  expect(looks.found).toBe(0);
});

test('behind a pooler, whose connections outlive the process, only leases count', async () => {
  const [pooled, looks] = [await startWorker({ tellsPid: pidOfPooler }), await startListed()];
  expect(await isListed(pooled)).toBe(false);
  pooled.proxy.cut();
  expect(await goneAfter(pooled, 2_500)).toBeUndefined();
  expect(looks.found).toBe(0);
});
