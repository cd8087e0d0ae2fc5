import { sql, type SelectQueryBuilder } from 'kysely';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Database } from './pool.ts';

const exactUpTo = 10_000;
const Plan = Type.Array(Type.Object({ Plan: Type.Object({ 'Plan Rows': Type.Number() }) }), { minItems: 1 });

// oxlint-disable-next-line typescript/no-explicit-any -- any table, any columns: only the rows are counted
type Countable = SelectQueryBuilder<any, any, any>;

/**
 * The `total` of a list: exact up to 10,000 matching rows; above that the planner's estimate, and
 * never smaller than 10,000.
 */
export async function countRows(db: Database, query: Countable): Promise<number> {
  const [total = 0] = await countEach(db, [query]);
  return total;
}

/** Counts the rows of several queries in one statement, each like the `total` of a list. */
export async function countEach(db: Database, queries: readonly Countable[]): Promise<number[]> {
  const columns = queries.map((query) => {
    const bounded = idsOf(query).limit(exactUpTo + 1);
    return sql`(select count(*) from ${bounded} as matching)`;
  });
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(columns)}] as counts`.execute(db.kysely);
  const counts: number[] = [];
  for (const [at, query] of queries.entries()) {
    const count = rows[0]?.counts[at] ?? 0;
    counts.push(count <= exactUpTo ? count : await estimate(db, query));
  }
  return counts;
}

async function estimate(db: Database, query: Countable): Promise<number> {
  const { sql: text, parameters } = idsOf(query).compile();
  const explained = await db.pool.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${text}`, [...parameters]);
  const plan = explained.rows[0]?.['QUERY PLAN'];
  return Value.Check(Plan, plan) ? Math.max(exactUpTo, Math.round(plan[0]?.Plan['Plan Rows'] ?? 0)) : exactUpTo;
}

function idsOf(query: Countable): Countable {
  return query.clearSelect().clearOrderBy().select('id');
}
