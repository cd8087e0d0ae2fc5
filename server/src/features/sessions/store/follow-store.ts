import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import type { StoredRepository } from '../schemas/session-schemas.ts';

/** Returns what following a change request needs to know of its session. */
export async function readFollowed(db: Kysely<DB> | Transaction<DB>, orgId: string, id: string) {
  return db
    .selectFrom('sessions')
    .select(['id', 'status', 'status_detail', 'verification', 'repositories', 'archived', 'created_by_type'])
    .select(['created_by_id', sql<string>`coalesce(error ->> 'message', '')`.as('problem')])
    .select(sql<string>`coalesce(error ->> 'code', '')`.as('problem_code'))
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('session_messages')
          .select('session_messages.id')
          .whereRef('session_messages.session_id', '=', 'sessions.id')
          .where('session_messages.state', '=', 'queued'),
      ).as('has_messages'),
    )
    .$narrowType<{ repositories: StoredRepository[] }>()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns the agent's last message after the last one it was sent, at most 64 KiB; `''` for none. */
export async function readAnswer(db: Kysely<DB>, sessionId: string): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    with last as (
      select data ->> 'message_id' as id from session_events
      where session_id = ${sessionId} and kind = 'message' and data ->> 'role' = 'agent' and seq > coalesce((
        select max(sent.seq) from session_events sent
        where sent.session_id = ${sessionId} and sent.kind = 'message' and sent.data ->> 'created_by' is not null), 0)
      order by seq desc limit 1
    )
    select left(string_agg(piece, '' order by seq), 65536) as text from (
      select e.seq, e.data ->> 'delta' as piece from session_events e, last
      where e.session_id = ${sessionId} and e.kind = 'message' and e.data ->> 'message_id' = last.id
      order by e.seq desc limit 1000
    ) pieces`.execute(db);
  return rows[0]?.text ?? '';
}

/** Returns the number of the last event of a session. */
export async function lastSeq(trx: Transaction<DB>, id: string): Promise<number> {
  const row = await trx.selectFrom('sessions').select('last_seq').where('id', '=', id).executeTakeFirstOrThrow();
  return row.last_seq;
}
