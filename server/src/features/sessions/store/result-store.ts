import { sql, type Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';

/** Returns a session's error and the agent's last message. */
export async function readEnd(trx: Transaction<DB>, orgId: string, id: string) {
  const { rows } = await sql<{ error: unknown; reply: string | null }>`
    select error, (
      select string_agg(data ->> 'delta', '' order by seq) from session_events
      where session_id = s.id and kind = 'message' and data ->> 'message_id' = (
        select data ->> 'message_id' from session_events
        where session_id = s.id and kind = 'message' and data ->> 'role' = 'agent' order by seq desc limit 1)) as reply
    from sessions s where org_id = ${orgId} and id = ${id}`.execute(trx);
  return rows[0];
}
