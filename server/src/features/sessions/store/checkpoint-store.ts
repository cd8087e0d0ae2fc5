import { sql, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../../db/page.ts';
import type { DB } from '../../../db/types.ts';

export function checkpointsQuery(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db.selectFrom('session_checkpoints').where('org_id', '=', orgId).where('session_id', '=', sessionId);
}

export async function listCheckpointRows(
  query: ReturnType<typeof checkpointsQuery>,
  after: string | undefined,
  limit: number,
) {
  const shown = query.select(['id', 'seq', 'turn', 'repo', 'commit', 'base_commit', 'created_at']);
  return newestFirst(shown, after, limit).execute();
}

/** Returns the last checkpoint of each repository at or before an event. */
export async function checkpointsAt(db: Kysely<DB>, orgId: string, sessionId: string, seq: number) {
  return checkpointsQuery(db, orgId, sessionId)
    .distinctOn('repo')
    .select(['id', 'repo', 'commit', 'base_commit', 'turn', 'seq'])
    .where('seq', '<=', seq)
    .orderBy('repo')
    .orderBy('seq', 'desc')
    .execute();
}

/** Copies the records of one session's agent to a new session. */
export async function copyRecords(trx: Transaction<DB>, from: string, to: string): Promise<void> {
  await sql`
    with copied as (
      insert into session_records (session_id, position, data)
      select ${to}, position, data from session_records where session_id = ${from}
      returning position
    )
    update sessions set record_count = coalesce((select max(position) from copied), 0) where id = ${to}`.execute(trx);
}
