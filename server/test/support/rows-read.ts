import type { Database } from '../../src/db/pool.ts';

/**
 * Returns how many rows of a table, and entries of its indexes, a look reads. `single` has one connection, whose counters are
 * its own until a transaction ends.
 */
export async function rowsRead(single: Database, table: string, look: () => Promise<unknown>): Promise<number> {
  await single.pool.query('begin');
  await look();
  const { rows } = await single.pool.query<{ read: number }>(
    `select sum(pg_stat_get_xact_tuples_returned(c.oid))::int as read from pg_class c
     where c.oid = $1::regclass or c.oid in (select indexrelid from pg_index where indrelid = $1::regclass)`,
    [table],
  );
  await single.pool.query('commit');
  return rows[0]?.read ?? Number.NaN;
}
