import { sql, type Transaction } from 'kysely';
import { rowsOf } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';

/** The virtual time of start-time fair queueing: the start tag of the session that started last. */
export const virtualTime = `coalesce((select start_tag from organization_turns order by served_at desc limit 1), 0)`;

/** Records the start of a session of each organization that `from` selects as `org_id`, in SQL. */
export const serve = (from: string): string => `
  insert into organization_turns as t (org_id, served_at, start_tag, finish_tag)
  select org_id, clock_timestamp(), ${virtualTime}, ${virtualTime} + 1 from ${from}
  on conflict (org_id) do update set
    served_at = excluded.served_at,
    start_tag = greatest(t.finish_tag, excluded.start_tag),
    finish_tag = greatest(t.finish_tag, excluded.start_tag) + 1.0 / t.weight
  returning org_id`;

/** Records the start of a session of the organization. */
export async function markServed(trx: Transaction<DB>, orgId: string): Promise<void> {
  await rowsOf(trx, 'organization_serve', serve('(select $1::text as org_id) s'), [orgId]);
}

/** Returns the number of dispatched sessions of an organization, by its weight. */
export async function shareOf(trx: Transaction<DB>, orgId: string): Promise<number> {
  const rows = await rowsOf<{ share: number }>(
    trx,
    'organization_share',
    `select count(*) / coalesce((select weight from organization_turns where org_id = $1), 1)::float as share
     from sessions where org_id = $1 and dispatched`,
    [orgId],
  );
  return rows[0]?.share ?? 0;
}

/** Changes the weight of an organization, 1 to 100. */
export async function updateWeight(trx: Transaction<DB>, orgId: string, weight: number): Promise<void> {
  await trx
    .insertInto('organization_turns')
    .values({ org_id: orgId, weight, served_at: sql<Date>`'-infinity'` })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ weight }))
    .execute();
}
