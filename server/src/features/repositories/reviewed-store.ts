import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import { settingsOf } from '../settings/service.ts';

/** Returns true if the policy of a repository, or else of its organization, reviews change requests. */
export async function isReviewed(db: Kysely<DB>, orgId: string, repositoryId: string): Promise<boolean> {
  const own = await db
    .selectFrom('review_policies')
    .select(sql<string | null>`policy ->> 'mode'`.as('mode'))
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  const mode = own?.mode ?? (await settingsOf(db, orgId, 'reviews')).mode;
  return mode !== 'off';
}
