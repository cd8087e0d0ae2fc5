import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { named, openDatabase } from './pool.ts';

const { database, connectionString, drop } = await createEmptyDatabase();
afterAll(drop);

test('values arrive as numbers, dates and text', async () => {
  const { rows } = await database.pool.query(`
    select 9007199254740991::int8 as int8, '{{1,null},{-3,4}}'::int8[] as int8s, '[0:1]={5,6}'::int8[] as bounds,
      '{}'::int8[] as none, date '2024-02-29' as date, array[date '2024-02-29', null, '0044-03-15 BC'] as dates,
      timestamptz '2026-01-02 03:04:05.678+02' as timestamptz, interval '90 minutes' as interval,
      1.50::numeric as numeric, '{"a": [1]}'::jsonb as jsonb, count(*) as count`);
  expect(rows).toEqual([
    {
      int8: Number.MAX_SAFE_INTEGER,
      int8s: [
        [1, null],
        [-3, 4],
      ],
      bounds: [5, 6],
      none: [],
      date: '2024-02-29',
      dates: ['2024-02-29', null, '0044-03-15 BC'],
      timestamptz: new Date('2026-01-02T01:04:05.678Z'),
      interval: '01:30:00',
      numeric: '1.50',
      jsonb: { a: [1] },
      count: 1,
    },
  ]);
});

test('a bigint that a number cannot hold is an error, and the connection goes on', async () => {
  await expect(database.pool.query('select 9007199254740993::int8')).rejects.toThrow('9007199254740993');
  await expect(database.pool.query(`select '{9007199254740993}'::int8[]`)).rejects.toThrow('9007199254740993');
  expect((await database.pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
});

test('a transaction commits as a whole or not at all', async () => {
  await sql`create table notes (n int)`.execute(database.kysely);
  await database.transaction(async (trx) => {
    await sql`insert into notes values (1)`.execute(trx);
  });
  const failing = database.transaction(async (trx) => {
    await sql`insert into notes values (2)`.execute(trx);
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect((await sql`select n from notes`.execute(database.kysely)).rows).toEqual([{ n: 1 }]);
});

test('a transaction asks for no second connection, which it could wait for in vain', async () => {
  const asking = database.transaction(() => database.pool.query('select 1'));
  await expect(asking).rejects.toThrow('a second database connection was asked for inside a database transaction');
});

test('a statement and an idle transaction end at their time limits', async () => {
  const limited = openDatabase({
    connectionString,
    maxConnections: 1,
    applicationName: 'limited',
    statementTimeoutMs: 50,
    idleInTransactionTimeoutMs: 50,
  });
  await expect(limited.pool.query('select pg_sleep(20)')).rejects.toMatchObject({ code: '57014' });
  const client = await limited.pool.connect();
  const lost = new Promise<Error>((resolve) => client.once('error', resolve));
  await client.query('begin');
  expect(await lost).toMatchObject({ code: '25P03' });
  client.release(true);
  await limited.close();
});

test('a named statement is prepared once per connection and runs with its values', async () => {
  const single = openDatabase({ connectionString, maxConnections: 1, applicationName: 'named' });
  const text = 'select $1::int + $2::int as sum';
  expect(await named<{ sum: number }>(single, 'sum', text, [1, 2])).toEqual([{ sum: 3 }]);
  expect(await named<{ sum: number }>(single, 'sum', text, [3, 4])).toEqual([{ sum: 7 }]);
  const prepared = await single.pool.query(
    'select name, generic_plans + custom_plans as plans from pg_prepared_statements',
  );
  expect(prepared.rows).toEqual([{ name: 'sum', plans: 2 }]);
  await single.close();
});

test('a connection that the server ends is replaced', async () => {
  const single = openDatabase({ connectionString, maxConnections: 1, applicationName: 'replaced' });
  const pid = await backendOf(single.pool);
  const removed = new Promise((resolve) => single.pool.once('remove', resolve));
  await database.pool.query('select pg_terminate_backend($1)', [pid]);
  await removed;
  expect(await backendOf(single.pool)).not.toBe(pid);
  await single.close();
});

test('a connection that the server ends between two statements fails its transaction, and nothing else', async () => {
  const single = openDatabase({ connectionString, maxConnections: 1, applicationName: 'broken' });
  const broken = single.transaction(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await gone(rows[0]?.pid ?? 0);
    await sql`select 1`.execute(trx);
  });
  await expect(broken).rejects.toThrow();
  expect((await single.pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
  await single.close();
});

test('a statement that is not answered in time fails, and the next one gets another connection', async () => {
  const single = openDatabase({ connectionString, maxConnections: 1, applicationName: 'silent', answerTimeoutMs: 300 });
  const pid = await backendOf(single.pool);
  await expect(single.pool.query('select pg_sleep(60)')).rejects.toThrow('timeout');
  expect(await backendOf(single.pool)).not.toBe(pid);
  await single.close();
});

test('closing twice is one closing', async () => {
  const single = openDatabase({ connectionString, maxConnections: 1, applicationName: 'closed' });
  await Promise.all([single.close(), single.close()]);
  await expect(single.pool.query('select 1')).rejects.toThrow('end');
});

test('a json column takes objects; an array, which would become a PostgreSQL array, does not pass the types', () => {
  interface Declared {
    a: number;
  }
  const declared: Declared = { a: 1 };
  const update = database.kysely.updateTable('audit_entries');
  expect(update.set({ changes: { a: 1 } }).compile().parameters).toEqual([{ a: 1 }]);
  expect(update.set({ changes: declared }).compile().parameters).toEqual([declared]);
  // @ts-expect-error an array must be written as JSON text
  expect(update.set({ changes: [1] }).compile().parameters).toEqual([[1]]);
});

async function backendOf(pool: typeof database.pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** Waits until a backend has ended. */
async function gone(pid: number): Promise<void> {
  const find = () => database.pool.query('select 1 from pg_stat_activity where pid = $1', [pid]);
  while ((await find()).rows.length > 0);
}
