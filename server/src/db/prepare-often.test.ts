import { afterAll, expect, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { openDatabase } from './pool.ts';

const { connectionString, drop } = await createEmptyDatabase();
const { pool, close } = openDatabase({ connectionString, maxConnections: 1, applicationName: 'often' });
afterAll(async () => {
  await close();
  await drop();
});

const runOften = async (text: string, values?: unknown[]): Promise<void> => {
  for (let count = 0; count < 20; count += 1) await pool.query(text, values);
};

test('a statement is prepared once it runs often, and whatever has all columns survives a migration', async () => {
  await pool.query('create table things (n int)');
  await pool.query('insert into things values (1)');
  await runOften('select n from things where n = $1', [1]);
  await runOften('with found as (select * from things) select count(*) from found');
  for (const columns of ['*', 'things.*, 1', 'n, things.*'])
    await runOften(`select ${columns} from things where n = $1`, [1]);
  await runOften('select n from things order by n limit $1', [1]);
  await runOften('select 1; select 2');
  await pool.query('select n from things where n = $1 + 0', [1]);
  const { rows } = await pool.query('select statement from pg_prepared_statements order by statement desc');
  expect(rows).toEqual([
    { statement: 'with found as (select * from things) select count(*) from found' },
    { statement: 'select n from things where n = $1' },
  ]);
  await pool.query('alter table things add column name text');
  expect((await pool.query('select * from things where n = $1', [1])).rows).toEqual([{ n: 1, name: null }]);
});
