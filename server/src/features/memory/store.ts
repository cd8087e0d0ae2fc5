import { sql, type Kysely, type Transaction, type Insertable, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import type { MemoryPlace } from './schemas.ts';

const shown = [
  'id',
  'provider',
  'repo',
  'title',
  'content',
  'memory_notes.revision',
  'materialized_revision',
  'materialized_at',
  'memory_notes.created_at',
  'updated_at',
] as const;

function livingNotes(db: Kysely<DB>, orgId: string) {
  return db
    .selectFrom('memory_notes')
    .innerJoin('memory_note_revisions', (join) =>
      join
        .onRef('memory_note_revisions.memory_id', '=', 'memory_notes.id')
        .onRef('memory_note_revisions.revision', '=', 'memory_notes.revision'),
    )
    .where('memory_notes.org_id', '=', orgId)
    .where('deleted_at', 'is', null);
}

/** Selects the notes of a repository; names are compared case-insensitively. */
export function notesQuery(db: Kysely<DB>, orgId: string, { provider, repo }: MemoryPlace) {
  return livingNotes(db, orgId)
    .where('provider', '=', provider)
    .where(sql<string>`lower(repo)`, '=', repo.toLowerCase());
}

export async function listNoteRows(query: ReturnType<typeof notesQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readNote(db: Kysely<DB>, orgId: string, id: string) {
  return livingNotes(db, orgId).select(shown).where('id', '=', id).executeTakeFirst();
}

/** Returns the note and locks it until the transaction ends. */
export async function lockNote(trx: Transaction<DB>, orgId: string, id: string): Promise<void> {
  await trx
    .selectFrom('memory_notes')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
}

export async function insertNote(trx: Transaction<DB>, row: Insertable<DB['memory_notes']>): Promise<void> {
  await trx.insertInto('memory_notes').values(row).execute();
}

export async function insertRevision(
  trx: Transaction<DB>,
  row: Insertable<DB['memory_note_revisions']>,
): Promise<void> {
  await trx.insertInto('memory_note_revisions').values(row).execute();
}

export async function updateNoteRow(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  change: Updateable<DB['memory_notes']>,
): Promise<void> {
  await trx.updateTable('memory_notes').set(change).where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Purges notes that were deleted before this time. */
export async function deleteGoneNotes(db: Kysely<DB>, before: Date): Promise<void> {
  await db.deleteFrom('memory_notes').where('deleted_at', '<', before).execute();
}
