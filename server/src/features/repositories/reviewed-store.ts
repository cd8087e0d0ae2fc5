import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';

/** Returns true if a policy reviews the change requests of a repository. */
export async function isReviewed(db: Kysely<DB>, orgId: string, repositoryId: string): Promise<boolean> {
  const found = await db
    .selectFrom('review_policies')
    .select('repository_id')
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where(sql<boolean>`policy ->> 'mode' <> 'off'`)
    .executeTakeFirst();
  return found !== undefined;
}
