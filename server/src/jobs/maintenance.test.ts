import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../lib/log.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { failingTasks } from './maintenance-store.ts';
import { workMaintenance, type MaintenanceTask } from './maintenance.ts';
import { createJobs, type Jobs } from './queue.ts';
import { queues } from './queues.ts';

let testDatabase: TestDatabase;
let jobs: Jobs;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterEach(async () => {
  await jobs.stop({ graceMs: 0 });
  await testDatabase.database.pool.query('truncate pgboss.job cascade');
});
afterAll(() => testDatabase.drop());

interface Rounds {
  begun: string[];
}

function task(name: string, run: MaintenanceTask<Rounds>['run'], timeoutMs = 60_000): MaintenanceTask<Rounds> {
  return {
    name,
    schedule: '0 3 * * *',
    timeoutMs,
    run: (ctx, signal) => {
      ctx.begun.push(name);
      return run(ctx, signal);
    },
  };
}

/** Runs tasks in one process, and returns the names of those that started, in order. */
async function work(...tasks: MaintenanceTask<Rounds>[]): Promise<string[]> {
  const { connectionString } = testDatabase;
  jobs = createJobs({
    connectionString,
    applicationName: 'maintenance test',
    queues: { ...queues, maintenance: { ...queues.maintenance, retryDelay: 0 } },
    log: createLog('silent'),
  });
  await jobs.start();
  const begun: string[] = [];
  workMaintenance(jobs, 'maintenance', tasks, { begun });
  return begun;
}

/** Enqueues a task like the schedule: one job, unless there is one. */
async function due(name: string): Promise<void> {
  await testDatabase.database.transaction((trx) =>
    jobs.enqueue(trx, 'maintenance', { task: name }, { singletonKey: name }),
  );
}

const failing = () => failingTasks(testDatabase.database);
const times = (begun: string[], name: string) => begun.filter((one) => one === name).length;

describe('maintenance', () => {
  test('a task that always fails keeps none of the others from running, and is told of', async () => {
    const begun = await work(
      task('breaks', () => Promise.reject(new Error('no such table'))),
      task('first', async () => undefined),
      task('second', async () => undefined),
    );
    await due('breaks');
    await expect.poll(() => times(begun, 'breaks'), { timeout: 15_000 }).toBeGreaterThan(1);
    await due('first');
    await due('second');
    await expect.poll(() => [times(begun, 'first'), times(begun, 'second')], { timeout: 15_000 }).toEqual([1, 1]);
    await expect.poll(() => times(begun, 'breaks'), { timeout: 15_000 }).toBeGreaterThan(2);
    const [found, ...others] = await failing();
    expect(found).toMatchObject({ task: 'breaks', reason: 'breaks: no such table' });
    expect(found?.attempts).toBeGreaterThan(1);
    expect(others).toEqual([]);
  });

  test('one that hangs is ended at its time limit and tried again, and the others run meanwhile', async () => {
    let reason: unknown;
    const hangs = (_: Rounds, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ({ reason } = signal);
          reject(new Error('aborted'));
        });
      });
    const begun = await work(
      task('hangs', hangs, 1_500),
      task('other', async () => undefined),
    );
    await due('hangs');
    await expect.poll(() => begun, { timeout: 15_000 }).toEqual(['hangs']);
    await due('other');
    await expect.poll(() => begun, { timeout: 1_400 }).toEqual(['hangs', 'other']);
    await expect.poll(() => times(begun, 'hangs'), { timeout: 15_000 }).toBeGreaterThan(1);
    expect(reason).toMatchObject({ message: 'not done after 1.5 s' });
  });

  test('one that ignores its time limit is not begun beside itself', async () => {
    const begun = await work(task('deaf', () => new Promise(() => undefined), 300));
    await due('deaf');
    await expect
      .poll(async () => (await failing())[0]?.reason, { timeout: 20_000 })
      .toBe('deaf: the attempt before is still running');
    expect(begun).toEqual(['deaf']);
  });

  test('one that succeeds again is no longer told of', async () => {
    let broken = true;
    const begun = await work(task('mends', () => (broken ? Promise.reject(new Error('down')) : Promise.resolve())));
    await due('mends');
    await expect.poll(async () => (await failing()).length, { timeout: 15_000 }).toBe(1);
    broken = false;
    await expect.poll(async () => (await failing()).length, { timeout: 15_000 }).toBe(0);
    expect(times(begun, 'mends')).toBeGreaterThan(1);
  });

  test('a task that is due while it is tried again has one job', async () => {
    const begun = await work(task('breaks', () => Promise.reject(new Error('down'))));
    await due('breaks');
    await expect.poll(() => times(begun, 'breaks'), { timeout: 15_000 }).toBeGreaterThan(0);
    // The schedule's insert, by the queue's own policy.
    const insert = `insert into pgboss.job (name, data, singleton_key, policy, retry_limit, expire_seconds, deletion_seconds)
      values ('maintenance', '{"task": "breaks"}', 'breaks', 'exclusive', 3, 60, 60) on conflict do nothing`;
    await testDatabase.database.pool.query(insert);
    const { rows } = await testDatabase.database.pool.query(
      "select count(*)::int as n from pgboss.job where name = 'maintenance' and state <= 'active'",
    );
    expect(rows).toEqual([{ n: 1 }]);
  });
});
