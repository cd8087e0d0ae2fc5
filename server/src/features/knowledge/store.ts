import type { Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';

/** What a search shows of these notes, in no order. */
export async function findNotes(db: Kysely<DB>, orgId: string, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return db
    .selectFrom('knowledge_notes')
    .select(['id as note_id', 'name', 'trigger', 'body', 'scope', 'repo_filter', 'created_at', 'updated_at'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
}
