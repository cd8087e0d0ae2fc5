import { sql, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/**
 * Returns the session that follows a change request, or will; `''` for none. A repository without a policy follows what
 * sessions opened.
 */
export async function readOwner(trx: Transaction<DB>, changeRequestId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select s.id from (
      select case
        when f.state <> 'ended' then f.session_id
        when f.state is null and coalesce(p.policy ->> 'mode', 'fix') <> 'off'
          then coalesce(c.continued_by[cardinality(c.continued_by)], c.session_id)
        else '' end as owner
      from change_requests c
      left join follows f on f.change_request_id = c.id
      left join follow_policies p on p.repository_id = c.repository_id
      where c.id = ${changeRequestId}) owned
    join sessions s on s.id = owned.owner and s.status <> 'canceled'`.execute(trx);
  return rows[0]?.id ?? '';
}

/** Returns the sessions that opened and continue a change request. */
export async function readSessionsOf(trx: Transaction<DB>, changeRequestId: string): Promise<string[]> {
  const row = await trx
    .selectFrom('change_requests')
    .select(['session_id', 'continued_by'])
    .where('id', '=', changeRequestId)
    .executeTakeFirst();
  return [row?.session_id ?? '', ...(row?.continued_by ?? [])].filter((id) => id !== '');
}

export async function addContinuing(trx: Transaction<DB>, changeRequestId: string, sessionId: string): Promise<void> {
  await trx
    .updateTable('change_requests')
    .set({ continued_by: sql<string[]>`array_append(continued_by, ${sessionId})` })
    .where('id', '=', changeRequestId)
    .execute();
}
