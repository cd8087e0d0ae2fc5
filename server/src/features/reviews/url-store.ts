import type { Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';

/** Returns where the change request with an address at its git host is. */
export async function readChangeRequestPlace(db: Kysely<DB>, orgId: string, url: string) {
  return db
    .selectFrom('change_requests')
    .select(['repository_id as repositoryId', 'number'])
    .where('org_id', '=', orgId)
    .where('url', '=', url)
    .limit(1)
    .executeTakeFirst();
}
