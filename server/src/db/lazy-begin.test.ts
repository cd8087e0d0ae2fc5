import { sql, type Transaction } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { openDatabase, type Database } from './pool.ts';
import type { DB } from './types.ts';

const { connectionString, database, drop } = await createEmptyDatabase();
await database.pool.query('create table notes (n int primary key)');
/** Has one connection, so that each transaction gets what another left on it. */
let single: Database;
beforeEach(async () => {
  single = openDatabase({ connectionString, maxConnections: 1, applicationName: 'lazy begin' });
  await database.pool.query('truncate notes');
});
afterEach(() => single.close());
afterAll(drop);

const write = (trx: Transaction<DB>, n: number) => sql`insert into notes values (${n})`.execute(trx);
const notes = async () => (await database.pool.query<{ n: number }>('select n from notes order by n')).rows;
const transactionIdOf = async (trx: Transaction<DB>) =>
  (await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(trx)).rows[0]?.id;

/** Counts how often the connection is written to. */
async function countWrites(work: () => Promise<unknown>): Promise<number> {
  const client = await single.pool.connect();
  const writes = vi.spyOn(Reflect.get(Reflect.get(client, 'connection'), 'stream'), '_writev');
  const plain = vi.spyOn(Reflect.get(Reflect.get(client, 'connection'), 'stream'), '_write');
  client.release();
  await work();
  return writes.mock.calls.length + plain.mock.calls.length;
}

test('a transaction begins with its first statement, in the same write, and is one', async () => {
  const ids: unknown[] = [];
  const count = await countWrites(() =>
    single.transaction(async (trx) => {
      for (let statement = 0; statement < 3; statement += 1) ids.push(await transactionIdOf(trx));
    }),
  );
  expect(new Set(ids).size).toBe(1);
  // With the commit.
  expect(count).toBe(4);
});

test('a transaction without statements sends nothing, whether it ends well or not', async () => {
  const count = await countWrites(async () => {
    await single.transaction(() => Promise.resolve());
    await expect(single.transaction(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
  expect(count).toBe(0);
  await single.kysely.selectNoFrom(sql`1`.as('n')).execute();
});

test('a first statement that fails takes the transaction with it, and nothing else', async () => {
  await single.transaction((trx) => write(trx, 1));
  const failing = single.transaction(async (trx) => {
    await write(trx, 1).catch(() => undefined);
    await write(trx, 2);
  });
  await expect(failing).rejects.toMatchObject({ code: '25P02' });
  await single.transaction((trx) => write(trx, 3));
  expect(await notes()).toEqual([{ n: 1 }, { n: 3 }]);
});

test('a statement runs not at all where its begin fails, and is prepared later', async () => {
  const often = (trx: Transaction<DB>) => write(trx, 1);
  for (let count = 0; count < 10; count += 1) {
    await single.transaction(often);
    await database.pool.query('truncate notes');
  }
  // Another connection, which has not prepared it.
  const client = await single.pool.connect();
  client.release(true);
  await leaveFailedTransaction();
  await expect(single.transaction(often)).rejects.toMatchObject({ code: '25P02' });
  expect(await notes()).toEqual([]);
  await single.transaction(often);
  expect(await notes()).toEqual([{ n: 1 }]);
});

/** Leaves the connection in a transaction in which nothing but its end succeeds. */
async function leaveFailedTransaction(): Promise<void> {
  const client = await single.pool.connect();
  await client.query('begin');
  await expect(client.query('select 1 / 0')).rejects.toThrow('division by zero');
  client.release();
}

test('a prepared statement that cannot be parsed at first is prepared when it can be', async () => {
  const read = () => single.transaction((trx) => sql`select n from later where n = ${1}`.execute(trx));
  for (let count = 0; count < 10; count += 1) await expect(read()).rejects.toMatchObject({ code: '42P01' });
  await database.pool.query('create table later (n int)');
  for (let count = 0; count < 2; count += 1) expect((await read()).rows).toEqual([]);
  const { rows } = await single.pool.query('select statement from pg_prepared_statements');
  expect(rows).toEqual([{ statement: 'select n from later where n = $1' }]);
});

test('a transaction of another isolation level is one', async () => {
  const level = await single.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => (await sql`show transaction_isolation`.execute(trx)).rows);
  expect(level).toEqual([{ transaction_isolation: 'repeatable read' }]);
});

test('what fails says where it was asked', async () => {
  const failing = single.transaction((trx) => sql`select 1 / 0`.execute(trx));
  const error: unknown = await failing.catch((reason: unknown) => reason);
  expect(error instanceof Error && error.stack).toContain('lazy-begin.test.ts');
});
