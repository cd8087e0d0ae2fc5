import { sql, type Transaction } from 'kysely';
import type { Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';
import { asked, type GroupDay } from './admission-store.ts';

/** Reserves the maximum use of a model call. */
export async function reserveCall(
  trx: Transaction<DB>,
  call: { id: string; sessionId: string; tokens: number; costUsd: number },
  days: readonly GroupDay[],
): Promise<void> {
  const { id, sessionId, tokens, costUsd } = call;
  await sql`
    with held as (
      insert into group_calls (id, session_id, group_id, day, tokens, cost_usd)
      select ${id}, ${sessionId}, group_id, day, ${tokens}, ${costUsd} from ${asked(days)}
    )
    update group_days d set reserved_tokens = d.reserved_tokens + ${tokens}, reserved_cost_usd = d.reserved_cost_usd + ${costUsd}
    from ${asked(days)} where d.group_id = asked.group_id and d.day = asked.day`.execute(trx);
}

/** Counts the use of a call, and releases its reservation. */
export async function settleReservation(
  trx: Transaction<DB>,
  call: { id: string; tokens: number; costUsd: string },
  days: readonly GroupDay[],
): Promise<void> {
  const { id, tokens, costUsd } = call;
  await sql`
    with mine as (
      delete from group_calls where id = ${id} returning group_id, day, tokens, cost_usd, counted
    )
    update group_days d set
      tokens = d.tokens + ${tokens} - case when mine.counted then mine.tokens else 0 end,
      cost_usd = d.cost_usd + ${costUsd}::numeric - case when mine.counted then mine.cost_usd else 0 end,
      reserved_tokens = d.reserved_tokens - case when mine.counted then 0 else coalesce(mine.tokens, 0) end,
      reserved_cost_usd = d.reserved_cost_usd - case when mine.counted then 0 else coalesce(mine.cost_usd, 0) end
    from ${asked(days)} left join mine using (group_id, day)
    where d.group_id = asked.group_id and d.day = asked.day`.execute(trx);
}

/** Purges calls that were lost with their worker a week ago; they stay counted. */
export async function deleteLostCalls(db: Pick<Database, 'pool'>): Promise<void> {
  await db.pool.query('delete from group_calls where counted and day < current_date - 7');
}
