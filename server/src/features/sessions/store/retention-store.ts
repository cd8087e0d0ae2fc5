import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { firstIdAt } from '../../../lib/ids.ts';

/** Returns the next sessions in the order of their ids; `isDue` if their oldest event is from before an instant. */
export async function listSessionsByAge(
  db: Kysely<DB>,
  { orgId, after, before, limit }: { orgId: string; after: string; before: Date; limit: number },
): Promise<{ id: string; isDue: boolean }[]> {
  const { rows } = await sql<{ id: string; isDue: boolean }>`
    select s.id, coalesce(e.created_at < ${before}, false) as "isDue" from (
      select id from sessions
      where org_id = ${orgId} and id > ${after} and id < ${firstIdAt('ses', before.getTime())} order by id limit ${limit}) s
    left join lateral (select created_at from session_events where session_id = s.id order by seq limit 1) e on true
    order by s.id`.execute(db);
  return rows;
}

/** Statuses of sessions whose work is over. */
const ended = sql.join(['completed', 'failed', 'canceled'].map((status) => sql.lit(status)));
/** A turn that no session reaches. */
const noTurn = 2_147_483_647;

/**
 * Returns the first turn whose events a session still needs: 0 while its change request is open or its parent works,
 * because metrics and the parent read them; the previous turn while the session itself may continue. `recent` protects
 * what the consumers of events have not read yet. Undefined if the session was deleted.
 */
export async function readNeededTurn(db: Kysely<DB>, id: string, recent: Date): Promise<number | undefined> {
  const { rows } = await sql<{ needed: number }>`
    select case
      when exists (select from change_requests c
        where c.session_id = s.id and (c.state = 'open' or c.updated_at >= ${recent})) then 0
      when exists (select from sessions p where p.id = s.parent_session_id and p.status not in (${ended})) then 0
      when s.status in (${ended}) and s.status_detail <> 'budget_reached' and s.lease_owner = '' and s.updated_at < ${recent}
        then ${sql.lit(noTurn)}
      else greatest(s.turn - 1, 0) end as needed
    from sessions s where s.id = ${id}`.execute(db);
  return rows[0]?.needed;
}

/** Keeps a session from changing until the transaction ends. */
export async function holdSession(trx: Transaction<DB>, id: string): Promise<void> {
  await trx.selectFrom('sessions').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

interface OldEvents {
  count: number;
  bytes: number;
  /** The last of them. */
  last: number;
}

/** Returns the oldest events of a session: up to `limit` after `after`, until the first that is recent or needed. */
export async function readOldEvents(
  db: Kysely<DB>,
  id: string,
  { after, before, needed, limit }: { after: number; before: Date; needed: number; limit: number },
): Promise<OldEvents> {
  const { rows } = await sql<OldEvents>`
    select count(*) as count, coalesce(sum(bytes), 0)::bigint as bytes, coalesce(max(seq), 0) as last from (
      select seq, bytes, bool_and(created_at < ${before} and turn < ${needed}) over (order by seq) as old from (
        select seq, turn, created_at, pg_column_size(data) as bytes from session_events
        where session_id = ${id} and seq > ${after} order by seq limit ${limit}) next) marked
    where old`.execute(db);
  return rows[0] ?? { count: 0, bytes: 0, last: 0 };
}

/** Deletes the events of a session up to a number. */
export async function deleteEventsTo(trx: Transaction<DB>, id: string, last: number): Promise<void> {
  await trx.deleteFrom('session_events').where('session_id', '=', id).where('seq', '<=', last).execute();
}

/** Returns those of these blobs that are artifacts. */
export async function knownArtifacts(db: Kysely<DB>, blobs: readonly string[]): Promise<ReadonlySet<string>> {
  // Keys are `artifacts/<organization>/<session>/<name>`; the index begins with the session.
  const sessions = [...new Set(blobs.map((blob) => blob.split('/')[2] ?? ''))];
  const query = db.selectFrom('session_artifacts').select('blob').where('session_id', 'in', sessions);
  return new Set((await query.where('blob', 'in', blobs).execute()).map(({ blob }) => blob));
}
