import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { startDatabaseProxy } from '../../test/support/database-proxy.ts';
import { createLog } from '../lib/log.ts';
import { type Listener, openListener } from './listener.ts';

const { database, connectionString, drop } = await createEmptyDatabase();
const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});
afterAll(drop);

/** Listens on channels and lets a test await the notifications. */
async function listen(
  channels: string[],
  at = connectionString,
): Promise<{ next: () => Promise<string>; listener: Listener }> {
  const received: string[] = [];
  let wake = Promise.withResolvers<void>();
  function push(item: string): void {
    received.push(item);
    wake.resolve();
    wake = Promise.withResolvers<void>();
  }
  const listener = await openListener({
    connectionString: at,
    channels,
    onNotification: (channel, payload) => push(`${channel}: ${payload}`),
    onReconnect: () => push('reconnected'),
    log: createLog('silent'),
  });
  listeners.push(listener);
  return {
    listener,
    next: async () => {
      for (;;) {
        const item = received.shift();
        if (item !== undefined) {
          return item;
        }
        await wake.promise;
      }
    },
  };
}

async function notify(channel: string, payload: string): Promise<void> {
  await database.pool.query('select pg_notify($1, $2)', [channel, payload]);
}

async function listeningBackends(): Promise<number[]> {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'guildhall listener' and datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
}

test('notifications of every channel arrive in order', async () => {
  const { next } = await listen(['session_events', 'Mixed "Case"']);
  await notify('session_events', 'one');
  await notify('other', 'unheard');
  await notify('Mixed "Case"', '');
  await notify('session_events', 'two');
  expect([await next(), await next(), await next()]).toEqual([
    'session_events: one',
    'Mixed "Case": ',
    'session_events: two',
  ]);
});

test('a listener whose connection is ended comes back, says so, and hears again', async () => {
  const { next } = await listen(['keys']);
  for (const round of ['first', 'second']) {
    const [before] = await listeningBackends();
    await database.pool.query('select pg_terminate_backend($1)', [before]);
    expect(await next()).toBe('reconnected');
    expect(await listeningBackends()).not.toContain(before);
    await notify('keys', round);
    expect(await next()).toBe(`keys: ${round}`);
  }
});

test('a listener whose connection falls silent is on another one within 10 s', async () => {
  const proxy = await startDatabaseProxy(connectionString);
  onTestFinished(() => proxy.close());
  const { next, listener } = await listen(['keys'], proxy.connectionString);
  proxy.stall();
  const stalledAt = performance.now();
  await notify('keys', 'lost');
  expect(await next()).toBe('reconnected');
  // Ending the silent connection takes a second, and the new one a moment.
  expect(performance.now() - stalledAt).toBeLessThan(13_000);
  await notify('keys', 'heard');
  expect(await next()).toBe('keys: heard');
  await listener.close();
});

test('a closed listener leaves no connection, also when it is closed while it comes back', async () => {
  const { listener } = await listen(['keys']);
  const [before] = await listeningBackends();
  await database.pool.query('select pg_terminate_backend($1)', [before]);
  await Promise.all([listener.close(), listener.close()]);
  await expect.poll(listeningBackends).toEqual([]);
});

test('a timeout of the server for idle connections does not end it', async () => {
  const url = new URL(connectionString);
  url.searchParams.set('options', '-c idle_session_timeout=50ms');
  const { next } = await listen(['keys'], url.href);
  await delay(300);
  await notify('keys', 'one');
  expect(await next()).toBe('keys: one');
});

test('an address where nobody answers is an error of the caller', async () => {
  const opening = openListener({
    connectionString: 'postgresql://guildhall@127.0.0.1:1/nothing',
    channels: ['keys'],
    onNotification: () => undefined,
    onReconnect: () => undefined,
    log: createLog('silent'),
  });
  await expect(opening).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
