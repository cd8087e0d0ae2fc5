import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../lib/log.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import type { Job, JobHandler } from './consumer.ts';
import { createJobs, type EnqueueOptions, type Jobs } from './queue.ts';

const queues = { first: {}, second: { retryDelay: 0 } };
type Name = keyof typeof queues;

let testDatabase: TestDatabase;
const started: Jobs<Name>[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterEach(async () => {
  children.splice(0).forEach((child) => child.kill('SIGKILL'));
  await Promise.all(started.splice(0).map((jobs) => jobs.stop({ graceMs: 0 })));
  await testDatabase.database.pool.query('truncate pgboss.job cascade');
});

afterAll(async () => {
  await testDatabase.drop();
});

function newJobs(): Jobs<Name> {
  const { connectionString } = testDatabase;
  const jobs = createJobs({ connectionString, applicationName: 'jobs test', queues, log: createLog('silent') });
  started.push(jobs);
  return jobs;
}

async function startJobs(): Promise<Jobs<Name>> {
  const jobs = newJobs();
  await jobs.start();
  return jobs;
}

function enqueue(jobs: Jobs<Name>, queue: Name, data: object, options?: EnqueueOptions): Promise<void> {
  return testDatabase.database.transaction((trx) => jobs.enqueue(trx, queue, data, options));
}

/** Creates a handler that collects data; `count(n)` resolves after n calls. */
function collector() {
  const seen: unknown[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const handler: JobHandler = async (job) => {
    seen.push(job.data);
    waiting.filter(({ count }) => seen.length >= count).forEach(({ resolve }) => resolve());
  };
  return {
    seen,
    handler,
    count: (count: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      return seen.length >= count ? Promise.resolve() : promise;
    },
  };
}

async function states(): Promise<Record<string, number>> {
  const { rows } = await testDatabase.database.pool.query<{ state: string; count: number }>(
    `select state::text, count(*)::int from pgboss.job where name in ('first', 'second') group by 1`,
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('It did not become true within 20 s.');
  }
}

describe('enqueue', () => {
  test('a job exists when its transaction commits', async () => {
    const jobs = await startJobs();
    const { handler, seen, count } = collector();
    jobs.work('first', { concurrency: 1 }, handler);
    await enqueue(jobs, 'first', { session: 'a' });
    await count(1);
    expect(seen).toEqual([{ session: 'a' }]);
    await until(async () => (await states()).completed === 1);
  });

  test('a transaction that is rolled back leaves no job', async () => {
    const jobs = await startJobs();
    const failing = testDatabase.database.transaction(async (trx) => {
      await jobs.enqueue(trx, 'first', { session: 'a' });
      await jobs.enqueue(trx, 'first', { session: 'b' }, { singletonKey: 'b' });
      throw new Error('roll back');
    });
    await expect(failing).rejects.toThrow('roll back');
    expect(await states()).toEqual({});
  });

  test('jobs without a key do not replace each other', async () => {
    const jobs = await startJobs();
    await enqueue(jobs, 'first', { number: 1 });
    await enqueue(jobs, 'first', { number: 2 });
    expect(await states()).toEqual({ created: 2 });
  });

  test('one job per key waits, with the data of the last', async () => {
    const jobs = await startJobs();
    await enqueue(jobs, 'first', { number: 1 }, { singletonKey: 'a' });
    await Promise.all(Array.from({ length: 8 }, () => enqueue(jobs, 'first', { number: 2 }, { singletonKey: 'a' })));
    expect(await states()).toEqual({ created: 1 });
    const { handler, seen, count } = collector();
    jobs.work('first', { concurrency: 4 }, handler);
    await count(1);
    expect(seen).toEqual([{ number: 2 }]);
  });

  test('a key whose job runs takes another one', async () => {
    const jobs = await startJobs();
    const running = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const numbers: unknown[] = [];
    jobs.work('first', { concurrency: 1 }, async (job) => {
      numbers.push(job.data);
      running.resolve();
      await release.promise;
    });
    await enqueue(jobs, 'first', { number: 1 }, { singletonKey: 'a' });
    await running.promise;
    await enqueue(jobs, 'first', { number: 2 }, { singletonKey: 'a' });
    release.resolve();
    await until(async () => (await states()).completed === 2);
    expect(numbers).toEqual([{ number: 1 }, { number: 2 }]);
  });

  test('a waiting job that a transaction merged into is not taken before it commits', async () => {
    const jobs = await startJobs();
    await enqueue(jobs, 'first', { number: 1 }, { singletonKey: 'a' });
    const { handler, seen, count } = collector();
    const other = collector();
    // Other connections look into it, which the product's own transactions refuse.
    const transaction = testDatabase.database.kysely.transaction();
    await transaction.execute(async (trx) => {
      await jobs.enqueue(trx, 'first', { number: 2 }, { singletonKey: 'a' });
      jobs.work('first', { concurrency: 1 }, handler);
      await enqueue(jobs, 'first', { number: 3 });
      jobs.work('second', { concurrency: 1 }, other.handler);
      await enqueue(jobs, 'second', {});
      await Promise.all([count(1), other.count(1)]);
      expect(seen).toEqual([{ number: 3 }]);
    });
    await count(2);
    expect(seen).toEqual([{ number: 3 }, { number: 2 }]);
  });

  test('a delayed job waits for its time, and an immediate one with its key does not', async () => {
    const jobs = await startJobs();
    const { handler, seen, count } = collector();
    jobs.work('first', { concurrency: 1 }, handler);
    const inAnHour = new Date(Date.now() + 3_600_000);
    await enqueue(jobs, 'first', { number: 1 }, { singletonKey: 'a', startAfter: inAnHour });
    await enqueue(jobs, 'first', { number: 2 }, { singletonKey: 'a' });
    await count(1);
    expect(seen).toEqual([{ number: 2 }]);
    const soon = new Date(Date.now() + 50);
    await enqueue(jobs, 'first', { number: 3 }, { singletonKey: 'a', startAfter: soon });
    await count(2);
    expect(seen).toEqual([{ number: 2 }, { number: 3 }]);
    expect(Date.now()).toBeGreaterThanOrEqual(soon.getTime());
  });
});

describe('work', () => {
  test('two processes share the jobs and each job runs once', async () => {
    const [one, two] = await Promise.all([startJobs(), startJobs()]);
    const { handler, seen, count } = collector();
    one.work('first', { concurrency: 3 }, handler);
    two.work('first', { concurrency: 3 }, handler);
    await testDatabase.database.transaction(async (trx) => {
      for (let number = 0; number < 60; number += 1) await one.enqueue(trx, 'first', { number });
    });
    await count(60);
    await until(async () => (await states()).completed === 60);
    expect(new Set(seen.map((data) => JSON.stringify(data))).size).toBe(60);
    expect(seen).toHaveLength(60);
  });

  test('no more than the concurrency runs at once', async () => {
    const jobs = await startJobs();
    let now = 0;
    let most = 0;
    const { handler, count } = collector();
    jobs.work('first', { concurrency: 3 }, async (job) => {
      most = Math.max(most, (now += 1));
      await testDatabase.database.pool.query('select 1');
      now -= 1;
      await handler(job);
    });
    await testDatabase.database.transaction(async (trx) => {
      for (let number = 0; number < 20; number += 1) await jobs.enqueue(trx, 'first', { number });
    });
    await count(20);
    expect(most).toBe(3);
  });

  test('the higher priority goes first', async () => {
    const jobs = await startJobs();
    await enqueue(jobs, 'first', { number: 1 });
    await enqueue(jobs, 'first', { number: 2 }, { priority: 5 });
    const { handler, seen, count } = collector();
    jobs.work('first', { concurrency: 1 }, handler);
    await count(2);
    expect(seen).toEqual([{ number: 2 }, { number: 1 }]);
  });

  test('a job that fails runs again', async () => {
    const jobs = await startJobs();
    const attempts: number[] = [];
    const again = Promise.withResolvers<void>();
    jobs.work('second', { concurrency: 1 }, async (job) => {
      attempts.push(job.retryCount);
      if (attempts.length === 1) throw new Error('not yet');
      again.resolve();
    });
    await enqueue(jobs, 'second', {});
    await again.promise;
    expect(attempts).toEqual([0, 1]);
  });

  test('a job whose claim was lost is told by its signal, and its end changes nothing', async () => {
    const jobs = await startJobs();
    const taken = Promise.withResolvers<Job>();
    const lost = Promise.withResolvers<void>();
    let isFirst = true;
    const rest = collector();
    jobs.work('second', { concurrency: 1 }, async (job) => {
      if (!isFirst) return rest.handler(job);
      isFirst = false;
      taken.resolve(job);
      job.signal.addEventListener('abort', () => lost.resolve());
      await lost.promise;
    });
    await enqueue(jobs, 'second', {});
    const { id, signal } = await taken.promise;
    await testDatabase.database.pool.query(`update pgboss.job set state = 'retry' where id = $1`, [id]);
    await lost.promise;
    expect(signal.reason).toMatchObject({ message: 'The claim of this job was lost.' });
    await rest.count(1);
    await until(async () => (await states()).completed === 1);
  });

  test('the job of a killed process runs again', async () => {
    const jobs = await startJobs();
    const child = await spawnWorker(testDatabase.connectionString);
    await enqueue(jobs, 'first', { number: 1 });
    expect(await child.nextLine()).toBe('took {"number":1}');
    child.process.kill('SIGKILL');
    await once(child.process, 'exit');
    // Simulates that the heartbeat's 10 s have passed.
    await testDatabase.database.pool.query(`update pgboss.job set heartbeat_on = heartbeat_on - interval '10 s'`);
    const { handler, seen, count } = collector();
    jobs.work('first', { concurrency: 1 }, handler);
    await count(1);
    expect(seen).toEqual([{ number: 1 }]);
  });

  test('it goes on after all its connections were lost, and is woken again', async () => {
    const jobs = await startJobs();
    const { handler, seen, count } = collector();
    jobs.work('first', { concurrency: 1 }, handler);
    await enqueue(jobs, 'first', { number: 1 });
    await count(1);
    await testDatabase.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name in ('jobs test', 'guildhall listener')`,
    );
    await until(async () => {
      const { rows } = await testDatabase.database.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
      );
      return rows.length > 0;
    });
    await enqueue(jobs, 'first', { number: 2 });
    await count(2);
    expect(seen).toEqual([{ number: 1 }, { number: 2 }]);
  });

  test('a schedule makes jobs', async () => {
    const jobs = await startJobs();
    await jobs.setSchedules([{ queue: 'first', key: 'round', cron: '* * * * *', data: { round: true } }]);
    // A starting process checks the schedules unless another one just did.
    await testDatabase.database.pool.query('update pgboss.version set cron_on = null');
    const { handler, seen, count } = collector();
    (await startJobs()).work('first', { concurrency: 1 }, handler);
    await count(1);
    expect(seen).toEqual([{ round: true }]);
    await testDatabase.database.pool.query('delete from pgboss.schedule');
  });

  test('a schedule is written when it is new or has changed', async () => {
    const jobs = await startJobs();
    const at = (cron: string, data = {}) => jobs.setSchedules([{ queue: 'first', key: 'daily', cron, data }]);
    const stored = async () => {
      const { rows } = await testDatabase.database.pool.query(
        'select cron, data, xmin::text as version from pgboss.schedule',
      );
      return rows;
    };
    await at('0 3 * * *');
    const [first] = await stored();
    await at('0 3 * * *');
    expect(await stored()).toEqual([first]);
    await at('0 4 * * *');
    expect(await stored()).toMatchObject([{ cron: '0 4 * * *', data: {} }]);
    await at('0 4 * * *', { round: true });
    expect(await stored()).toMatchObject([{ cron: '0 4 * * *', data: { round: true } }]);
    await jobs.setSchedules([]);
  });

  test('a schedule that is no longer set ends', async () => {
    const jobs = await startJobs();
    const schedule = (key: string) => ({ queue: 'first' as const, key, cron: '0 3 * * *', data: {} });
    await jobs.setSchedules([schedule('kept'), schedule('ended')]);
    // As an earlier version wrote them: without a key, for an older queue.
    await testDatabase.database.pool.query(
      "insert into pgboss.schedule (name, key, cron, timezone) values ('second', '', '* * * * *', 'UTC')",
    );
    await jobs.setSchedules([schedule('kept')]);
    const { rows } = await testDatabase.database.pool.query('select name, key from pgboss.schedule');
    expect(rows).toEqual([{ name: 'first', key: 'kept' }]);
    await jobs.setSchedules([]);
  });
});

describe('start and stop', () => {
  test('processes that start at once on an empty database all succeed', async () => {
    await testDatabase.database.pool.query('drop schema pgboss cascade');
    const [one] = await Promise.all([startJobs(), startJobs(), startJobs()]);
    await enqueue(one, 'first', {});
    expect(await states()).toEqual({ created: 1 });
  });

  test('a changed setting reaches a queue that exists', async () => {
    await (await startJobs()).stop({ graceMs: 0 });
    await testDatabase.database.pool.query('update pgboss.queue set retry_delay = 77');
    await startJobs();
    const { rows } = await testDatabase.database.pool.query(
      `select name, retry_delay, policy from pgboss.queue where name in ('first', 'second') order by 1`,
    );
    expect(rows).toEqual([
      { name: 'first', retry_delay: 1, policy: 'short' },
      { name: 'second', retry_delay: 0, policy: 'short' },
    ]);
  });

  test('stop tells running handlers, waits for them and takes no more', async () => {
    const jobs = await startJobs();
    const taken = Promise.withResolvers<void>();
    const { handler, seen } = collector();
    jobs.work('first', { concurrency: 1 }, async (job) => {
      taken.resolve();
      await new Promise<void>((resolve) => job.signal.addEventListener('abort', () => resolve()));
      await handler(job);
    });
    await enqueue(jobs, 'first', { number: 1 });
    await enqueue(jobs, 'first', { number: 2 });
    await taken.promise;
    await jobs.stop({ graceMs: 20_000 });
    expect(seen).toHaveLength(1);
    expect(await states()).toEqual({ created: 1, completed: 1 });
  });

  test('a handler that does not end within the grace gives its job back', async () => {
    const jobs = await startJobs();
    const taken = Promise.withResolvers<void>();
    const never = Promise.withResolvers<void>();
    jobs.work('first', { concurrency: 1 }, async () => {
      taken.resolve();
      await never.promise;
    });
    await enqueue(jobs, 'first', {});
    await taken.promise;
    await jobs.stop({ graceMs: 10 });
    expect(await states()).toEqual({ retry: 1 });
    never.resolve();
  });
});

/** Starts a process that takes jobs of `first`, reports it and never ends them. */
async function spawnWorker(connectionString: string) {
  const code = `
    import { createJobs } from ${JSON.stringify(new URL('queue.ts', import.meta.url).href)};
    import { createLog } from ${JSON.stringify(new URL('../lib/log.ts', import.meta.url).href)};
    const jobs = createJobs({ connectionString: process.argv[1], applicationName: 'killed worker',
      queues: ${JSON.stringify(queues)}, log: createLog('silent') });
    await jobs.start();
    jobs.work('first', { concurrency: 1 }, (job) => {
      process.stdout.write('took ' + JSON.stringify(job.data) + '\\n');
      return new Promise(() => {});
    });
    process.stdout.write('ready\\n');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, connectionString], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<unknown> => (await lines.next()).value;
  expect(await nextLine()).toBe('ready');
  return { process: child, nextLine };
}
