import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { Place } from './thread.ts';

export type MentionRow = NonNullable<Awaited<ReturnType<typeof readMention>>>;
export type MentionState = MentionRow['state'];

export interface NewMention extends Place {
  id: string;
  said_id: string;
  thread_id: string;
  state: MentionState;
  session_id?: string;
  problem?: string;
  created_at: Date;
}

/** Adds a mention; returns false if it is known. */
export async function insertMention(trx: Transaction<DB>, mention: NewMention): Promise<boolean> {
  const row = await trx
    .insertInto('mentions')
    .values(mention)
    .onConflict((conflict) => conflict.columns(['repository_id', 'kind', 'number', 'said_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function listKnown(db: Kysely<DB>, { repository_id, kind, number }: Place): Promise<Set<string>> {
  const rows = await db
    .selectFrom('mentions')
    .select('said_id')
    .where('repository_id', '=', repository_id)
    .where('kind', '=', kind)
    .where('number', '=', number)
    .execute();
  return new Set(rows.map(({ said_id: id }) => id));
}

/** Returns the session of the last mention in an issue or change request. */
export async function lastSessionOf(
  trx: Transaction<DB>,
  { org_id, repository_id, kind, number }: Place,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('mentions')
    .select('session_id')
    .where('org_id', '=', org_id)
    .where('repository_id', '=', repository_id)
    .where('kind', '=', kind)
    .where('number', '=', number)
    .where('session_id', '<>', '')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.session_id;
}

export async function readMention(db: Kysely<DB>, id: string) {
  return db.selectFrom('mentions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Counts the sessions that mentions started in a repository since a time. */
export async function countStarted(trx: Transaction<DB>, repositoryId: string, since: Date): Promise<number> {
  const { n } = await trx
    .selectFrom('mentions')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('repository_id', '=', repositoryId)
    .where('session_id', '<>', '')
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return n;
}

/** Holds a mention of which something is to be posted for this process; undefined if another one holds it. */
export async function holdMention(db: Kysely<DB>, id: string, now: Date, until: Date) {
  return db
    .updateTable('mentions')
    .set({ held_until: until })
    .where('id', '=', id)
    .where('posted', '<>', 'result')
    .where('state', 'in', ['refused', 'started'])
    .where((eb) => eb.or([eb('held_until', 'is', null), eb('held_until', '<', now)]))
    .returningAll()
    .executeTakeFirst();
}

export async function updateMention(
  db: Kysely<DB>,
  id: string,
  change: Partial<Pick<MentionRow, 'state' | 'posted' | 'problem' | 'held_until'>>,
): Promise<void> {
  await db.updateTable('mentions').set(change).where('id', '=', id).execute();
}

/** Returns the mentions of sessions that wait for an answer. */
export async function listMentionsOf(trx: Transaction<DB>, sessionIds: readonly string[]): Promise<string[]> {
  const rows = await trx
    .selectFrom('mentions')
    .select('id')
    .where('session_id', 'in', sessionIds)
    .where('state', '=', 'started')
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the mentions that wait for an answer, the oldest first. */
export async function listOpenMentions(db: Kysely<DB>, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('mentions as m')
    .leftJoin('sessions as s', 's.id', 'm.session_id')
    .select('m.id')
    .where('m.posted', '<>', 'result')
    .where('m.state', 'in', ['refused', 'started'])
    .where('m.created_at', '<', before)
    .where(
      sql<boolean>`(m.state = 'refused' or m.posted = '' or s.id is null or s.status in ('completed', 'failed', 'canceled'))`,
    )
    .orderBy('m.created_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteOldMentions(db: Kysely<DB>, before: Date): Promise<void> {
  await db
    .deleteFrom('mentions')
    .where('created_at', '<', before)
    .where((eb) => eb.or([eb('posted', '=', 'result'), eb('state', 'in', ['ignored', 'followed', 'ended'])]))
    .execute();
}

/** Returns the change requests that a session opened or continued. */
export async function listChangeRequestsOf(trx: Transaction<DB>, orgId: string, sessionId: string) {
  return trx
    .selectFrom('change_requests')
    .select(['repository_id', 'number', 'url', 'state'])
    .where('org_id', '=', orgId)
    .where(sql<boolean>`((session_id <> '' and session_id = ${sessionId})
        or (continued_by <> '{}' and continued_by @> array[${sessionId}]))`)
    .orderBy('id')
    .limit(20)
    .execute();
}
