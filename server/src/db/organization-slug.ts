import type { Kysely } from 'kysely';
import type { DB } from './types.ts';

/** Returns the slug for an organization's URLs; `''` if it no longer exists. */
export async function organizationSlug(db: Kysely<DB>, orgId: string): Promise<string> {
  const row = await db.selectFrom('organizations').select('slug').where('id', '=', orgId).executeTakeFirst();
  return row?.slug ?? '';
}
