import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { MemoryPlace } from './schemas.ts';

function ofPlace(db: Kysely<DB>, orgId: string, { provider, repo }: MemoryPlace) {
  return db
    .selectFrom('memory_generated')
    .where('org_id', '=', orgId)
    .where('provider', '=', provider)
    .where(sql<string>`lower(repo)`, '=', repo.toLowerCase());
}

/** Returns the current generated files of a repository, by agent and path. */
export async function listGeneratedRows(db: Kysely<DB>, orgId: string, place: MemoryPlace) {
  return ofPlace(db, orgId, place)
    .select(['agent', 'path', 'content', 'sha256', 'updated_at'])
    .where('superseded_at', 'is', null)
    .orderBy('agent')
    .orderBy('path')
    .execute();
}

/** Returns generated files as of a time, including replaced ones. */
export async function listGeneratedAt(db: Kysely<DB>, orgId: string, place: MemoryPlace, hashes: readonly string[]) {
  if (hashes.length === 0) return [];
  return ofPlace(db, orgId, place)
    .select(['agent', 'path', 'content', 'sha256', 'updated_at'])
    .distinctOn(['agent', 'path', 'sha256'])
    .where('sha256', 'in', [...hashes])
    .orderBy('agent')
    .orderBy('path')
    .orderBy('sha256')
    .orderBy('updated_at', 'desc')
    .execute();
}

/** Serializes runs of one organization that add generated memory. */
export async function lockGenerated(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`memory_generated:${orgId}`}, 0))`.execute(trx);
}

/** Returns one file of an agent for a repository. */
export async function readGenerated(
  trx: Transaction<DB>,
  orgId: string,
  place: MemoryPlace,
  agent: string,
  path: string,
) {
  return ofPlace(trx, orgId, place)
    .select(['id', 'content', 'sha256'])
    .where('agent', '=', agent)
    .where('path', '=', path)
    .where('superseded_at', 'is', null)
    .executeTakeFirst();
}

export async function supersedeGenerated(trx: Transaction<DB>, id: string, now: Date): Promise<void> {
  await trx.updateTable('memory_generated').set({ superseded_at: now }).where('id', '=', id).execute();
}

/** Supersedes the oldest files of one agent beyond the newest `keep`. */
export async function supersedeExcess(
  trx: Transaction<DB>,
  orgId: string,
  place: MemoryPlace,
  agent: string,
  { keep, now }: { keep: number; now: Date },
): Promise<void> {
  const excess = ofPlace(trx, orgId, place)
    .select('id')
    .where('agent', '=', agent)
    .where('superseded_at', 'is', null)
    .orderBy('updated_at', 'desc')
    .orderBy('path')
    .offset(keep);
  await trx.updateTable('memory_generated').set({ superseded_at: now }).where('id', 'in', excess).execute();
}

export async function insertGenerated(trx: Transaction<DB>, row: Insertable<DB['memory_generated']>): Promise<void> {
  await trx.insertInto('memory_generated').values(row).execute();
}

/** Deletes generated memory with its earlier versions; returns the number of files. */
export async function deleteGeneratedRows(
  trx: Transaction<DB>,
  orgId: string,
  { provider, repo }: MemoryPlace,
): Promise<number> {
  const rows = await trx
    .deleteFrom('memory_generated')
    .where('org_id', '=', orgId)
    .where('provider', '=', provider)
    .where(sql<string>`lower(repo)`, '=', repo.toLowerCase())
    .returning('superseded_at')
    .execute();
  return rows.filter(({ superseded_at }) => superseded_at === null).length;
}

export async function deleteSuperseded(db: Kysely<DB>, before: Date): Promise<void> {
  await db.deleteFrom('memory_generated').where('superseded_at', '<', before).execute();
}

export async function deleteOldGenerated(db: Kysely<DB>, orgId: string, before: Date): Promise<void> {
  await db.deleteFrom('memory_generated').where('org_id', '=', orgId).where('updated_at', '<', before).execute();
}
