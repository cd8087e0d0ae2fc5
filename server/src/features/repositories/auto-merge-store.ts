import { sql, type Kysely } from 'kysely';
import type { RepositoryRef } from '../../adapters/source-control/port.ts';
import type { DB } from '../../db/types.ts';

/** The commit for which the platform lets the host merge by itself, `''` for none, and how often that was taken back. */
export interface AutoMerge {
  readonly sha: string;
  readonly offs: number;
}

export async function readAutoMerge(
  db: Kysely<DB>,
  { orgId, id: repositoryId }: RepositoryRef,
  number: number,
): Promise<AutoMerge> {
  const row = await db
    .selectFrom('change_requests')
    .select(['auto_merge_sha', 'auto_merge_offs'])
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where('number', '=', number)
    .where('state', '=', 'open')
    .executeTakeFirst();
  return { sha: row?.auto_merge_sha ?? '', offs: row?.auto_merge_offs ?? 0 };
}

/** Records the commit that the host may merge by itself. */
export async function setAutoMerge(
  db: Kysely<DB>,
  { orgId, id: repositoryId }: RepositoryRef,
  number: number,
  headSha: string,
): Promise<void> {
  await db
    .updateTable('change_requests')
    .set({ auto_merge_sha: headSha })
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where('number', '=', number)
    .execute();
}

/** Records that the host does not merge by itself a commit that it might. */
export async function clearAutoMerge(
  db: Kysely<DB>,
  { orgId, id: repositoryId }: RepositoryRef,
  number: number,
  sha: string,
): Promise<void> {
  await db
    .updateTable('change_requests')
    .set({ auto_merge_sha: '', auto_merge_offs: sql<number>`auto_merge_offs + 1` })
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where('number', '=', number)
    .where('auto_merge_sha', '=', sha)
    .execute();
}

/** Returns the number of the open change request of a branch that the host may merge by itself; undefined for none. */
export async function autoMergingOn(db: Kysely<DB>, orgId: string, repositoryId: string, headRef: string) {
  const row = await db
    .selectFrom('change_requests')
    .select('number')
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where('head_ref', '=', headRef)
    .where('state', '=', 'open')
    .where('auto_merge_sha', '<>', '')
    .executeTakeFirst();
  return row?.number;
}
