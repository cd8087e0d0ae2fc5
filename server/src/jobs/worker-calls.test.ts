import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { openNotifications, type Notifications } from '../db/notifications.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { purgeWorkerCalls } from './call-store.ts';
import { createWorkerCalls, WorkerCallFailed, type WorkerCalls } from './worker-calls.ts';

const log = createLog('silent');
let testDatabase: TestDatabase;
let processes: { calls: WorkerCalls; notifications: Notifications }[];
const stops: (() => Promise<void>)[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  processes = await Promise.all(Array.from({ length: 4 }, () => aProcess()));
});
afterEach(async () => {
  children.splice(0).forEach((child) => child.kill('SIGKILL'));
  await Promise.all(stops.splice(0).map((stop) => stop()));
});
afterAll(async () => {
  await Promise.all(processes.map(({ notifications }) => notifications.close()));
  await testDatabase.drop();
});

/** Creates the parts of a separate process: a listening connection. */
async function aProcess(notifies = true): Promise<{ calls: WorkerCalls; notifications: Notifications }> {
  const notifications = await openNotifications(testDatabase.connectionString, log);
  const heard = notifies ? notifications : { ...notifications, subscribe: () => () => undefined };
  return { calls: createWorkerCalls({ db: testDatabase.database, notifications: heard, log }), notifications };
}

function of(index: number): WorkerCalls {
  const one = processes[index];
  if (one === undefined) throw new Error(`There are only ${processes.length} processes.`);
  return one.calls;
}

function serve(index: number, worker: string, ...rest: Tail<Parameters<WorkerCalls['serve']>>): () => Promise<void> {
  const stop = of(index).serve(worker, ...rest);
  stops.push(stop);
  return stop;
}
type Tail<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;

async function rows(): Promise<number> {
  const { rows: counted } = await testDatabase.database.pool.query<{ count: number }>(
    'select count(*)::int as count from worker_calls',
  );
  return counted[0]?.count ?? -1;
}

test('two processes ask two workers, each the one it names, and nothing is kept', async () => {
  for (const [index, worker] of [
    [2, 'w2'],
    [3, 'w3'],
  ] as const)
    serve(index, worker, { whose: async (input) => ({ worker, input }), silent: async () => undefined });
  const asked = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      of(n % 2).call('whose', { n, text: '\u0000é' }, { worker: n % 4 < 2 ? 'w2' : 'w3', timeoutMs: 5_000 }),
    ),
  );
  expect(asked).toEqual(asked.map((_, n) => ({ worker: n % 4 < 2 ? 'w2' : 'w3', input: { n, text: '\u0000é' } })));
  expect(await of(0).call('silent', undefined, { timeoutMs: 5_000 })).toBe(null);
  expect(await rows()).toBe(0);
});

test('200 calls at once are each done once, no worker doing more at once than it may', async () => {
  const done: number[] = [];
  const busy = { w2: 0, w3: 0 };
  let most = 0;
  for (const [index, worker] of [
    [2, 'w2'],
    [3, 'w3'],
  ] as const)
    serve(
      index,
      worker,
      {
        count: async (input) => {
          busy[worker] += 1;
          most = Math.max(most, busy[worker]);
          done.push(Number(input));
          // As long as a round trip to the database.
          await testDatabase.database.pool.query('select 1');
          busy[worker] -= 1;
          return Number(input) * 2;
        },
      },
      { concurrency: 5 },
    );
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => of(n % 2).call('count', n, { timeoutMs: 20_000 })),
  );
  expect(answers).toEqual(Array.from({ length: 200 }, (_, n) => n * 2));
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  expect(most).toBeLessThanOrEqual(5);
  expect(await rows()).toBe(0);
});

test('an expected failure arrives as it was; of another one nothing is told', async () => {
  serve(2, 'w2', {
    missing: async () => Promise.reject(notFound('browser_session', 'brs_1')),
    broken: async () => Promise.reject(new Error('password hunter2 at 10.0.0.1')),
    unwritable: async () => Promise.resolve(1n),
  });
  const missing = await of(0)
    .call('missing', {}, { timeoutMs: 5_000 })
    .catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(AppError);
  expect(missing).toMatchObject({
    code: 'browser_session_not_found',
    message: 'No browser session "brs_1" exists here.',
  });
  for (const kind of ['broken', 'unwritable']) {
    const broken = await of(0)
      .call(kind, {}, { timeoutMs: 5_000 })
      .catch((error: unknown) => error);
    expect(broken).toBeInstanceOf(WorkerCallFailed);
    expect(broken).toMatchObject({ reason: 'failed', retryable: false });
    expect(String(broken)).not.toContain('hunter2');
  }
});

test('nobody there: 503 within 5 s, also where a worker does other things or another one is named', async () => {
  serve(2, 'w2', { other: async () => 1 });
  const startedAt = performance.now();
  const failures = await Promise.allSettled([
    of(0).call('nothing', {}, { timeoutMs: 30_000 }),
    of(1).call('other', {}, { worker: 'gone', timeoutMs: 30_000 }),
  ]);
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  expect(failures).toMatchObject([
    { reason: { code: 'capacity_unavailable' } },
    { reason: { code: 'capacity_unavailable' } },
  ]);
  expect(await rows()).toBe(0);
});

test('a caller that no longer waits ends the handler: by its signal, by its timeout', async () => {
  const reasons: unknown[] = [];
  let begun = Promise.withResolvers<void>();
  let ended = Promise.withResolvers<void>();
  serve(2, 'w2', {
    forever: async (_, { signal }) => {
      begun.resolve();
      await once(signal, 'abort');
      reasons.push(signal.reason);
      ended.resolve();
    },
  });
  const caller = new AbortController();
  const aborted = of(0).call('forever', {}, { timeoutMs: 60_000, signal: caller.signal });
  await begun.promise;
  caller.abort(new Error('The request was closed.'));
  await expect(aborted).rejects.toThrow('The request was closed.');
  await ended.promise;
  begun = Promise.withResolvers<void>();
  ended = Promise.withResolvers<void>();
  await expect(of(0).call('forever', {}, { timeoutMs: 300 })).rejects.toMatchObject({ reason: 'timeout' });
  await ended.promise;
  expect(reasons.map(String)).toEqual(Array(2).fill('Error: The caller no longer waits for this call.'));
  expect(await rows()).toBe(0);
  await expect(of(0).call('forever', {}, { timeoutMs: 300, signal: caller.signal })).rejects.toThrow('was closed');
});

test('without any notification calls are taken, answered and withdrawn', async () => {
  const deaf = await aProcess(false);
  const aborted = Promise.withResolvers<void>();
  stops.push(
    deaf.calls.serve('deaf', {
      echo: async (input) => input,
      forever: async (_, { signal }) => {
        await once(signal, 'abort');
        aborted.resolve();
      },
    }),
  );
  expect(await deaf.calls.call('echo', 'heard', { timeoutMs: 10_000 })).toBe('heard');
  await expect(deaf.calls.call('forever', {}, { timeoutMs: 2_500 })).rejects.toMatchObject({ reason: 'timeout' });
  await aborted.promise;
  await deaf.notifications.close();
});

test('a worker that stops says so to those who wait; the rest goes to the others', async () => {
  const begun = Promise.withResolvers<void>();
  const stop = serve(2, 'w2', {
    slow: async (_, { signal }) => {
      begun.resolve();
      await once(signal, 'abort');
      throw new Error('interrupted');
    },
  });
  const waiting = of(0).call('slow', {}, { timeoutMs: 30_000 });
  await begun.promise;
  const failed = expect(waiting).rejects.toMatchObject({ code: 'capacity_unavailable' });
  await stop();
  await failed;
  serve(3, 'w3', { slow: async () => 'done' });
  expect(await of(0).call('slow', {}, { timeoutMs: 5_000 })).toBe('done');
});

test('megabytes come back whole, and too many are an error', async () => {
  const picture = Buffer.alloc(6 * 1024 * 1024, 7).toString('base64');
  serve(2, 'w2', { picture: async () => picture, endless: async () => 'x'.repeat(33 * 1024 * 1024) });
  expect(await of(0).call('picture', {}, { timeoutMs: 20_000 })).toBe(picture);
  await expect(of(0).call('endless', {}, { timeoutMs: 20_000 })).rejects.toMatchObject({ reason: 'failed' });
});

test('a worker that is killed is noticed by its silence, long before the timeout', async () => {
  const child = spawn(
    process.execPath,
    [new URL('../../test/support/calls-child.ts', import.meta.url).pathname, testDatabase.connectionString],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.push(child);
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const lost = of(0).call('forever', {}, { worker: 'child', timeoutMs: 120_000 });
  const noticed = expect(lost).rejects.toMatchObject({ reason: 'lost' });
  expect(await said.next()).toMatchObject({ value: 'begun' });
  const killedAt = performance.now();
  child.kill('SIGKILL');
  await noticed;
  expect(performance.now() - killedAt).toBeLessThan(15_000);
  expect(await rows()).toBe(0);
});

test('what a dead caller left is removed', async () => {
  const { pool } = testDatabase.database;
  await pool.query(
    `insert into worker_calls (id, kind, input, expires_at)
     values (gen_random_uuid(), 'old', 'null', now() - interval '2 minutes'),
            (gen_random_uuid(), 'new', 'null', now() + interval '1 minute')`,
  );
  await purgeWorkerCalls(testDatabase.database);
  expect((await pool.query('delete from worker_calls returning kind')).rows).toEqual([{ kind: 'new' }]);
});
