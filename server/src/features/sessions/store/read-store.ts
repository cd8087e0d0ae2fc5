import { sql, type Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';

/**
 * Records that a session stopped with its newest event, for the user who started it and for those who have read it; not
 * for the user who stopped it, nor for one whose session started it.
 */
export async function noteStop(
  trx: Transaction<DB>,
  sessionId: string,
  by: { type: string; id: string },
): Promise<void> {
  // The lock waits for a member who is being removed, and then leaves them out.
  await sql`
    with stopped as (
      select id, org_id, last_seq, case when created_by_type = 'user' then created_by_id else '' end as starter
      from sessions where id = ${sessionId}
    ), followers as (
      select m.user_id from members m, stopped s
      where m.org_id = s.org_id and m.user_id <> ${by.type === 'user' ? by.id : ''} and m.user_id = any (array(
        select s.starter union select r.user_id from session_reads r where r.session_id = s.id))
      order by m.user_id for key share of m
    )
    insert into session_reads (session_id, user_id, org_id, stopped_seq)
    select s.id, f.user_id, s.org_id, s.last_seq from stopped s, followers f
    on conflict (session_id, user_id) do update set stopped_seq = excluded.stopped_seq`.execute(trx);
}

/**
 * Records how far a user has read a session, which never goes back; undefined if the session does not exist. `seq` is
 * at most the session's last.
 */
export async function markRead(
  trx: Transaction<DB>,
  { id, orgId, userId, seq }: { id: string; orgId: string; userId: string; seq: number },
): Promise<{ seq: number; unread: boolean } | undefined> {
  // Locked before its marks, as by those who stop it.
  const session = await trx
    .selectFrom('sessions')
    .select('last_seq')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  if (session === undefined) return undefined;
  return trx
    .insertInto('session_reads')
    .values({ session_id: id, user_id: userId, org_id: orgId, seq: Math.min(seq, session.last_seq) })
    .onConflict((conflict) =>
      conflict
        .columns(['session_id', 'user_id'])
        .doUpdateSet({ seq: sql<number>`greatest(session_reads.seq, excluded.seq)` }),
    )
    .returning(['seq', 'unread'])
    .executeTakeFirstOrThrow();
}
