import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../../test/support/database.ts';
import { growWhenStuck } from './grow-when-stuck.ts';

const idleTimeoutMillis = 100;
let empty: TestDatabase;
let pool: Pool;

beforeEach(async () => {
  empty = await createEmptyDatabase();
  const { connectionString } = empty;
  pool = new Pool({ connectionString, max: 4, min: 2, connectionTimeoutMillis: 2_000, idleTimeoutMillis });
  growWhenStuck(pool, 2);
});
afterEach(async () => {
  if (!pool.ending) await pool.end();
  await empty.drop();
});

/** Takes connections and does nothing with them; the result gives them back. */
async function hold(count: number): Promise<(broken?: boolean) => Promise<void>> {
  const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()));
  return async (broken = false) => {
    for (const client of clients) client.release(broken);
    // The pool takes notice.
    await delay(1);
  };
}

/** Returns on how many connections many statements at once run. */
async function connectionsOfMany(): Promise<number> {
  const results = await Promise.all(
    Array.from({ length: 200 }, () => pool.query<{ pid: number }>('select pg_backend_pid() as pid')),
  );
  return new Set(results.map(({ rows }) => rows[0]?.pid)).size;
}

test('many statements at once share the usual connections', async () => {
  expect(await connectionsOfMany()).toBe(2);
  expect(pool.totalCount).toBe(2);
});

test('statements pass those that are stuck, over one connection more, until those are back', async () => {
  const giveBack = await hold(2);
  expect(await connectionsOfMany()).toBe(1);
  expect(pool.totalCount).toBe(3);
  await giveBack();
  expect(await connectionsOfMany()).toBe(2);
});

test('when all are stuck, a statement fails after the time limit of the pool', async () => {
  const giveBack = await hold(4);
  await expect(pool.query('select 1')).rejects.toThrow('timeout exceeded when trying to connect');
  await giveBack();
  expect(await connectionsOfMany()).toBe(2);
});

test('a connection that breaks makes room for the next', async () => {
  const giveBack = await hold(2);
  const many = connectionsOfMany();
  await giveBack(true);
  expect(await many).toBeLessThanOrEqual(2);
});

test('what waits when the pool ends is refused', async () => {
  const giveBack = await hold(2);
  const waiting = expect(pool.query('select 1')).rejects.toThrow('Cannot use a pool after calling end');
  const ended = pool.end();
  await giveBack();
  await Promise.all([waiting, ended]);
});

test('the usual connections stay, and the others end when they are not used', async () => {
  const giveBack = await hold(4);
  await giveBack();
  await expect.poll(() => pool.totalCount).toBe(2);
  await delay(2 * idleTimeoutMillis);
  expect(pool.totalCount).toBe(2);
});
