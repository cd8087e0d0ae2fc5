import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { PrincipalKind } from '../../caller.ts';
import type { DB } from '../../db/types.ts';
import { containing } from '../../db/pattern.ts';
import { integerIn } from '../../lib/cursor.ts';
import type { NoteScope } from './schemas.ts';

const shown = [
  'id',
  'name',
  'trigger',
  'body',
  'scope',
  'repo_filter',
  'user_id',
  'enabled',
  'revision',
  'source',
  principal('knowledge_notes.created_by').as('created_by'),
  'use_count',
  'last_used_at',
  'created_at',
  'updated_at',
] as const;
const shownOfRevision = [
  'note_id',
  'name',
  'trigger',
  'body',
  'scope',
  'repo_filter',
  'enabled',
  'revision',
  principal('found.created_by').as('created_by'),
  'created_at',
] as const;

export interface NoteFilter {
  readonly search?: string | undefined;
  readonly scopes?: readonly NoteScope[];
  /** The `repo_filter`s to include; undefined for any. */
  readonly repoFilters?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
}

/** Selects the notes that a user (`''` for no user) may see. */
export function notesQuery(db: Kysely<DB>, orgId: string, userId: string, filter: NoteFilter = {}) {
  const { search = '', scopes = [], repoFilters, enabled } = filter;
  const pattern = containing(search);
  return db
    .selectFrom('knowledge_notes')
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('scope', '<>', 'user'), eb('user_id', '=', userId)]))
    .$if(scopes.length > 0, (query) => query.where('scope', 'in', scopes))
    .$if(enabled !== undefined, (query) => query.where('enabled', '=', enabled ?? true))
    .$if(repoFilters !== undefined, (query) =>
      query.where(sql<boolean>`repo_filter = any(${[...(repoFilters ?? [])]}::text[])`),
    )
    .$if(search !== '', (query) =>
      query.where((eb) =>
        eb.or([
          eb('name', 'ilike', pattern),
          eb('trigger', 'ilike', pattern),
          sql<boolean>`search @@ websearch_to_tsquery('english', ${search})`,
        ]),
      ),
    );
}

export async function listNoteRows(query: ReturnType<typeof notesQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown), after, limit).execute();
}

/** Returns the distinct `repo_filter`s of the notes that a user may see. */
export async function listRepoFilters(db: Kysely<DB>, orgId: string, userId: string): Promise<string[]> {
  const rows = await notesQuery(db, orgId, userId).select('repo_filter').distinct().execute();
  return rows.map(({ repo_filter }) => repo_filter);
}

export async function readNote(db: Kysely<DB>, orgId: string, userId: string, id: string) {
  return notesQuery(db, orgId, userId).select(shown).where('id', '=', id).executeTakeFirst();
}

/** Returns the note and locks it until the transaction ends. */
export async function lockNote(trx: Transaction<DB>, orgId: string, userId: string, id: string) {
  return notesQuery(trx, orgId, userId).select(shown).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Returns those of these notes that a user may see, unordered. */
export async function findNotes(db: Kysely<DB>, orgId: string, userId: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return notesQuery(db, orgId, userId).select(shown).where('id', 'in', ids).execute();
}

export async function insertNotes(trx: Transaction<DB>, rows: Insertable<DB['knowledge_notes']>[]): Promise<void> {
  if (rows.length > 0) await trx.insertInto('knowledge_notes').values(rows).execute();
}

export async function updateNote(
  trx: Transaction<DB>,
  id: string,
  change: Updateable<DB['knowledge_notes']>,
): Promise<void> {
  await trx.updateTable('knowledge_notes').set(change).where('id', '=', id).execute();
}

export async function deleteNoteRow(trx: Transaction<DB>, id: string): Promise<void> {
  await trx.deleteFrom('knowledge_notes').where('id', '=', id).execute();
}

/** Stores the current content of notes as revisions; `by` is the author. */
export async function keepRevisions(
  trx: Transaction<DB>,
  ids: readonly string[],
  by: { type: PrincipalKind; id: string },
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    insert into knowledge_note_revisions (
      note_id, revision, org_id, name, trigger, body, scope, repo_filter, user_id, enabled, created_by_type, created_by_id,
      created_at)
    select id, revision, org_id, name, trigger, body, scope, repo_filter, user_id, enabled, ${by.type}, ${by.id}, updated_at
    from knowledge_notes where id = any(${[...ids]})`.execute(trx);
}

/** Serializes imports into the organization until the transaction ends. */
export async function lockImports(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`knowledge import ${orgId}`}, 0))`.execute(trx);
}

/** Returns and locks the notes with one of these ids or names that a user may see. */
export async function readPresent(
  trx: Transaction<DB>,
  orgId: string,
  userId: string,
  wanted: { ids: readonly string[]; names: readonly string[] },
) {
  return notesQuery(trx, orgId, userId)
    .select(['id', 'revision', 'name', 'trigger', 'scope', 'repo_filter', 'enabled'])
    .select(sql<string>`encode(sha256(convert_to(body, 'UTF8')), 'hex')`.as('body_digest'))
    .where((eb) =>
      eb.or([
        sql<boolean>`id = any(${[...wanted.ids]}::text[])`,
        sql<boolean>`name = any(${[...wanted.names]}::text[])`,
      ]),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** Selects the revisions of a note that a user may see: another user's own revisions are hidden. */
export function revisionsQuery(db: Kysely<DB>, orgId: string, userId: string, noteId: string) {
  const revisions = db
    .selectFrom('knowledge_note_revisions')
    .selectAll()
    .select(sql<string>`revision::text`.as('id'))
    .where('org_id', '=', orgId)
    .where('note_id', '=', noteId)
    .where((eb) => eb.or([eb('scope', '<>', 'user'), eb('user_id', '=', userId)]));
  return db.selectFrom(revisions.as('found'));
}

/** Returns revisions newest first, after the revision `after`. */
export async function listRevisionRows(
  query: ReturnType<typeof revisionsQuery>,
  after: string | undefined,
  limit: number,
) {
  const before = integerIn(after);
  return query
    .select(['id', ...shownOfRevision])
    .$if(before !== undefined, (rows) => rows.where('revision', '<', before ?? 0))
    .orderBy('revision', 'desc')
    .limit(limit)
    .execute();
}

export async function readRevision(db: Kysely<DB>, orgId: string, userId: string, noteId: string, revision: number) {
  return revisionsQuery(db, orgId, userId, noteId)
    .select(shownOfRevision)
    .where('revision', '=', revision)
    .executeTakeFirst();
}
