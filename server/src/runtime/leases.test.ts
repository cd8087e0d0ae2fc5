import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../test/support/database-proxy.ts';
import { openDatabase, type Database } from '../db/pool.ts';
import { Leases } from './leases.ts';

const timings = { leaseMs: 3_000, heartbeatMs: 300, pollMs: 300 };

let api: TestApi;
let proxy: DatabaseProxy;
let db: Database;
beforeAll(async () => {
  api = await startTestApi();
  proxy = await startDatabaseProxy(api.connectionString);
  db = openDatabase({ connectionString: proxy.connectionString, maxConnections: 2, applicationName: 'leases' });
});
afterAll(async () => {
  await db.close();
  await proxy.close();
  await api.close();
});

test('a worker without sessions takes over none in the length of a lease after an outage', async () => {
  const worker = { id: 'idle', host: 'here', slots: 1, busy: 0, draining: false, sandbox: {}, problem: '' };
  const leases = new Leases(
    { ...api.ctx, db, timings },
    {
      held: () => [],
      worker: () => worker,
      onRenewed: () => undefined,
      onRegained: () => undefined,
    },
  );
  leases.start();
  try {
    await expect.poll(() => leases.mayTakeOver, { timeout: 10_000 }).toBe(true);
    proxy.cut();
    await expect.poll(() => leases.mayTakeOver, { timeout: 10_000 }).toBe(false);
    proxy.mend();
    const from = performance.now();
    await expect.poll(() => leases.mayTakeOver, { timeout: 20_000 }).toBe(true);
    expect(performance.now() - from).toBeGreaterThanOrEqual(timings.leaseMs);
  } finally {
    await leases.stop();
  }
});
