import type { Insertable, Kysely, Transaction, Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';

const shown = [
  'id',
  'sha',
  'name',
  'state',
  'description',
  'url',
  principal('commit_statuses.author').as('author'),
  'created_at',
  'updated_at',
] as const;

export function statusesQuery(db: Kysely<DB>, orgId: string, repositoryId: string, sha: string) {
  return db
    .selectFrom('commit_statuses')
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where('sha', '=', sha);
}

/** Selects a page of a commit's statuses, newest first. */
export async function listStatusRows(
  query: ReturnType<typeof statusesQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

/** Returns the status of a commit with this name. */
export async function readStatus(trx: Transaction<DB>, orgId: string, repositoryId: string, sha: string, name: string) {
  return statusesQuery(trx, orgId, repositoryId, sha).select(shown).where('name', '=', name).executeTakeFirst();
}

export async function countStatuses(
  trx: Transaction<DB>,
  orgId: string,
  repositoryId: string,
  sha: string,
): Promise<number> {
  const { count } = await statusesQuery(trx, orgId, repositoryId, sha)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertStatus(trx: Transaction<DB>, row: Insertable<DB['commit_statuses']>) {
  return trx.insertInto('commit_statuses').values(row).returning(shown).executeTakeFirstOrThrow();
}

export async function updateStatus(trx: Transaction<DB>, id: string, change: Updateable<DB['commit_statuses']>) {
  return trx.updateTable('commit_statuses').set(change).where('id', '=', id).returning(shown).executeTakeFirstOrThrow();
}
