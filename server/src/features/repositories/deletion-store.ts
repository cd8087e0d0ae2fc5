import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { repositoriesQuery } from './store.ts';
import { builtInProvider } from '../../lib/providers.ts';

/** Counts the open change requests, and the sessions that run or wait there. */
export async function readUses(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
): Promise<{ open: number; live: number }> {
  const held = JSON.stringify([{ repository_id: id }]);
  const { rows } = await sql<{ open: number; live: number }>`
    select (select count(*)::int from change_requests where repository_id = ${id} and state = 'open') as open,
           (select count(*)::int from sessions where org_id = ${orgId} and repositories @> ${held}::jsonb
              and status in ('provisioning', 'running', 'waiting')) as live`.execute(trx);
  return rows[0] ?? { open: 0, live: 0 };
}

/** Locks a repository that was deleted since `deletedAfter`, until the transaction ends. */
export async function lockDeleted(trx: Transaction<DB>, orgId: string, id: string, deletedAfter: Date) {
  return repositoriesQuery(trx, orgId, { deletedAfter })
    .select(['provider', 'repo'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Marks a locked repository as deleted, or as not deleted if `deletedAt` is null; returns its name. */
export async function setDeleted(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  deletedAt: Date | null,
  now: Date,
): Promise<string> {
  const { repo } = await trx
    .updateTable('repositories')
    .set({ deleted_at: deletedAt, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('repo')
    .executeTakeFirstOrThrow();
  return repo;
}

/** Returns the repositories of all organizations that were deleted before an instant, oldest first. */
export async function listDue(db: Kysely<DB>, deletedBefore: Date) {
  return db
    .selectFrom('repositories')
    .select(['id', 'org_id', 'repo'])
    .where('deleted_at', '<=', deletedBefore)
    .orderBy('deleted_at')
    .execute();
}

/**
 * Deletes a repository that was deleted before an instant, with everything that belongs to it; false if it does not
 * exist.
 */
export async function removeRepositoryRow(trx: Transaction<DB>, id: string, deletedBefore: Date): Promise<boolean> {
  const result = await trx
    .deleteFrom('repositories')
    .where('id', '=', id)
    .where('deleted_at', '<=', deletedBefore)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Returns those of these repositories that exist, including deleted ones, in any organization. */
export async function listKept(db: Kysely<DB>, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('repositories').select('id').where('id', 'in', ids).execute();
  return rows.map(({ id }) => id);
}

/**
 * Returns repositories of the built-in host, including deleted ones, that were not measured since an instant, least
 * recently measured first.
 */
export async function listUnmeasured(db: Kysely<DB>, before: Date, limit: number) {
  return db
    .selectFrom('repositories as r')
    .leftJoin('stored_bytes as s', (join) =>
      join.on('s.key', '=', sql<string>`'repositories/' || r.org_id || '/' || r.id`),
    )
    .select(['r.id', 'r.org_id'])
    .where('r.provider', '=', builtInProvider)
    .where((eb) => eb.or([eb('s.updated_at', 'is', null), eb('s.updated_at', '<', before)]))
    .orderBy('s.updated_at', (order) => order.asc().nullsFirst())
    .limit(limit)
    .execute();
}
