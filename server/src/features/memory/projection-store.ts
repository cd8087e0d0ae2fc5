import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { MemoryPlace } from './schemas.ts';

const shown = [
  'memory_note_revisions.memory_id',
  'memory_note_revisions.revision',
  'title',
  'content',
  'deleted',
  'memory_note_revisions.created_at',
  'provider',
  'repo',
] as const;

function revisions(db: Kysely<DB>, orgId: string) {
  return db
    .selectFrom('memory_note_revisions')
    .innerJoin('memory_notes', 'memory_notes.id', 'memory_note_revisions.memory_id')
    .where('memory_notes.org_id', '=', orgId);
}

/**
 * Returns what a session can be given of a repository's notes, without contents: every revision of existing notes, and
 * tombstones of deleted ones. The newest revisions of all notes come first, then tombstones, then older revisions.
 */
export async function listProjectable(db: Kysely<DB>, orgId: string, { provider, repo }: MemoryPlace, limit: number) {
  const rank = sql<number>`case when deleted then 1 when memory_note_revisions.revision = memory_notes.revision then 0 else 2 end`;
  return revisions(db, orgId)
    .select(['memory_note_revisions.memory_id', 'memory_note_revisions.revision'])
    .select([rank.as('rank'), sql<number>`octet_length(content)`.as('bytes')])
    .where('provider', '=', provider)
    .where(sql<string>`lower(repo)`, '=', repo.toLowerCase())
    .where((eb) => eb.or([eb('deleted_at', 'is', null), eb('deleted', '=', true)]))
    .orderBy(rank)
    .orderBy('memory_note_revisions.created_at', 'desc')
    .orderBy('memory_note_revisions.memory_id', 'desc')
    .orderBy('memory_note_revisions.revision', 'desc')
    .limit(limit)
    .execute();
}

/** Returns revisions by id and number, with contents; deleted ones are omitted. */
export async function readRevisions(
  db: Kysely<DB>,
  orgId: string,
  wanted: readonly { memory_id: string; revision: number }[],
) {
  if (wanted.length === 0) return [];
  const ids = wanted.map(({ memory_id }) => memory_id);
  const numbers = wanted.map(({ revision }) => revision);
  return revisions(db, orgId)
    .select(shown)
    .where(
      sql<boolean>`(memory_note_revisions.memory_id, memory_note_revisions.revision) in
        (select * from unnest(${ids}::text[], ${numbers}::integer[]))`,
    )
    .execute();
}

/** Inserts missing projections; a rewritten file is the same projection. */
export async function insertProjections(
  trx: Transaction<DB>,
  rows: readonly Insertable<DB['memory_projections']>[],
): Promise<void> {
  if (rows.length === 0) return;
  await trx
    .insertInto('memory_projections')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Records the newest revision that sessions have of each note; never moves back. */
export async function noteMaterialized(
  trx: Transaction<DB>,
  orgId: string,
  given: readonly { memory_id: string; revision: number }[],
  now: Date,
): Promise<void> {
  const newest = new Map<string, number>();
  for (const { memory_id, revision } of given) newest.set(memory_id, Math.max(revision, newest.get(memory_id) ?? 0));
  if (newest.size === 0) return;
  // Ordered, so that two sessions cannot deadlock.
  await sql`
    with given as (
      select n.id, g.revision from memory_notes n
      join unnest(${[...newest.keys()]}::text[], ${[...newest.values()]}::integer[]) g (id, revision) on g.id = n.id
      where n.org_id = ${orgId} and coalesce(n.materialized_revision, 0) < g.revision
      order by n.id for update of n)
    update memory_notes set materialized_revision = given.revision, materialized_at = ${now}
    from given where memory_notes.id = given.id`.execute(trx);
}

/** Returns the revisions in a session's files, in the order they were written. */
export async function listProjectionRows(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db
    .selectFrom('memory_projections')
    .select(['session_id', 'memory_id', 'revision', 'path', 'sha256', 'created_at'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .orderBy('created_at')
    .orderBy('memory_id')
    .orderBy('revision')
    .orderBy('path')
    .execute();
}
