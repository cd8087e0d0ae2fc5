import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';

/** Serializes decisions on an organization's budgets until the transaction ends. Locked after guardrails, before groups. */
export async function lockBudgets(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`budgets ${orgId}`}, 0))`.execute(trx);
}

/** Costs of an organization in US dollars. */
export interface Spent {
  day: number;
  cycle: number;
  /** The most that running model calls can cost. */
  reserved: number;
}

/**
 * Returns the costs of the days from `cycleStart` to `day`, in one statement: a call that is recorded meanwhile is either spent or
 * reserved.
 */
export async function readSpent(
  db: Kysely<DB>,
  orgId: string,
  { day, cycleStart }: { day: string; cycleStart: string },
): Promise<Spent> {
  const { rows } = await sql<Spent>`
    select coalesce(sum(cost_usd) filter (where day = ${day}::date), 0)::float8 as day,
      coalesce(sum(cost_usd), 0)::float8 as cycle,
      (select coalesce(sum(cost_usd), 0)::float8 from reserved_calls where org_id = ${orgId}) as reserved
    from spent_days
    where org_id = ${orgId} and repository_id = '*' and day between ${cycleStart}::date and ${day}::date`.execute(db);
  return rows[0] ?? { day: 0, cycle: 0, reserved: 0 };
}

/** Sums rows of the same day, at most `limit`; returns how many there were. */
export async function sumSpentDays(db: Kysely<DB>, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with fresh as (
      delete from spent_days where ctid = any(array(
        select ctid from spent_days where not summed limit ${limit} for update skip locked))
      returning org_id, repository_id, day, cost_usd
    ), former as (
      delete from spent_days d using (select distinct org_id, repository_id, day from fresh) f
      where d.summed and d.org_id = f.org_id and d.repository_id = f.repository_id and d.day = f.day
      returning d.org_id, d.repository_id, d.day, d.cost_usd
    ), added as (
      insert into spent_days (org_id, repository_id, day, cost_usd, summed)
      select org_id, repository_id, day, sum(cost_usd), true from (select * from fresh union all select * from former) r
      group by 1, 2, 3
    )
    select count(*)::int as count from fresh`.execute(db);
  return rows[0]?.count ?? 0;
}
