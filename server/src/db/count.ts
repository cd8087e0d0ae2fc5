import type { SelectQueryBuilder } from 'kysely';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Database } from './pool.ts';

const exactUpTo = 10_000;
const Plan = Type.Array(Type.Object({ Plan: Type.Object({ 'Plan Rows': Type.Number() }) }), { minItems: 1 });

/**
 * The `total` of a list: exact up to 10,000 matching rows; above that the planner's estimate, and
 * never smaller than 10,000.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- any table, any columns: only the rows are counted
export async function countRows(db: Database, query: SelectQueryBuilder<any, any, any>): Promise<number> {
  const compiled = query
    .clearSelect()
    .clearOrderBy()
    .select('id')
    .limit(exactUpTo + 1)
    .compile();
  const values = [...compiled.parameters];
  const counted = await db.pool.query<{ count: number }>(
    `select count(*) as count from (${compiled.sql}) as matching`,
    values,
  );
  const count = counted.rows[0]?.count ?? 0;
  if (count <= exactUpTo) return count;
  const all = query.clearSelect().clearOrderBy().select('id').compile();
  const explained = await db.pool.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${all.sql}`, [
    ...all.parameters,
  ]);
  const plan = explained.rows[0]?.['QUERY PLAN'];
  return Value.Check(Plan, plan) ? Math.max(exactUpTo, Math.round(plan[0]?.Plan['Plan Rows'] ?? 0)) : exactUpTo;
}
