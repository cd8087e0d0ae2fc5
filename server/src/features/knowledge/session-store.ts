import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

const given = ['id as note_id', 'name', 'revision', 'scope', 'trigger', 'body'] as const;

/** Returns notes by id that a user may see (`''` for shared ones only), including disabled ones. */
export async function readNotes(db: Kysely<DB>, orgId: string, userId: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .selectFrom('knowledge_notes')
    .select(given)
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .where((eb) => eb.or([eb('scope', '<>', 'user'), eb('user_id', '=', userId)]))
    .execute();
}

/** Returns the shared, enabled notes, oldest first. */
export async function listEnabled(db: Kysely<DB>, orgId: string) {
  return db
    .selectFrom('knowledge_notes')
    .select(['id as note_id', 'name', 'revision'])
    .where('org_id', '=', orgId)
    .where('enabled', '=', true)
    .where('scope', '<>', 'user')
    .orderBy('id')
    .execute();
}

export interface NoteTraits {
  note_id: string;
  name: string;
  scope: 'organization' | 'repository' | 'user';
  repo_filter: string;
  enabled: boolean;
}

/** Returns the newest notes that a user may see, and those with these ids; including disabled ones. */
export async function listNewest(
  db: Kysely<DB>,
  { orgId, userId, ids, limit }: { orgId: string; userId: string; ids: readonly string[]; limit: number },
): Promise<NoteTraits[]> {
  const { rows } = await sql<NoteTraits>`
    with visible as (
      select id as note_id, name, scope, repo_filter, enabled from knowledge_notes
      where org_id = ${orgId} and (scope <> 'user' or user_id = ${userId})
    ), newest as (select * from visible order by note_id desc limit ${limit})
    select * from newest union select * from visible where note_id = any(${[...ids]}::text[])
    order by note_id desc`.execute(db);
  return rows;
}

/** Returns revisions of existing notes. */
export async function readRevisions(
  db: Kysely<DB>,
  orgId: string,
  wanted: readonly { note_id: string; revision: number }[],
) {
  if (wanted.length === 0) return [];
  return db
    .selectFrom('knowledge_note_revisions')
    .select(['note_id', 'name', 'revision', 'scope', 'trigger', 'body'])
    .where('org_id', '=', orgId)
    .where((eb) =>
      eb.or(
        wanted.map(({ note_id, revision }) => eb.and([eb('note_id', '=', note_id), eb('revision', '=', revision)])),
      ),
    )
    .execute();
}

/** Counts a use of each note, once per session. */
export async function countUses(
  trx: Transaction<DB>,
  use: { orgId: string; sessionId: string; noteIds: readonly string[]; now: Date },
): Promise<void> {
  const { orgId, sessionId, noteIds, now } = use;
  if (noteIds.length === 0) return;
  // Ordered, because sessions that start together use the same notes and could deadlock.
  await sql`
    with present as (
      select id from knowledge_notes where org_id = ${orgId} and id = any(${[...noteIds]}) order by id for no key update
    ), fresh as (
      insert into knowledge_note_uses (session_id, note_id, org_id, used_at)
      select sessions.id, present.id, ${orgId}, ${now} from present, sessions where sessions.id = ${sessionId}
      on conflict do nothing
      returning note_id
    )
    update knowledge_notes set use_count = use_count + 1, last_used_at = ${now}
    from fresh where knowledge_notes.id = fresh.note_id`.execute(trx);
}

/** Returns undefined if this session already suggested it, or an equal one is pending or was dismissed. */
export async function insertSuggestion(trx: Transaction<DB>, row: Insertable<DB['knowledge_suggestions']>) {
  const known = await trx
    .selectFrom('knowledge_suggestions')
    .select('id')
    .where('org_id', '=', row.org_id)
    .where(sql<boolean>`md5(body) = md5(${row.body})`)
    .where('repo', '=', row.repo ?? '')
    .where('status', 'in', ['pending', 'dismissed'])
    .executeTakeFirst();
  if (known !== undefined) return undefined;
  return trx
    .insertInto('knowledge_suggestions')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
}

/** Counts the notes that a session suggested. */
export async function countSuggestionsOf(db: Kysely<DB>, orgId: string, sessionId: string): Promise<number> {
  const row = await db
    .selectFrom('knowledge_suggestions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function deleteNotesOf(trx: Transaction<DB>, orgId: string, userId: string): Promise<void> {
  await trx.deleteFrom('knowledge_notes').where('org_id', '=', orgId).where('user_id', '=', userId).execute();
}
