import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';

/** The different `repo_filter`s of an organization's enabled notes. */
export async function listFilters(db: Kysely<DB>, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('knowledge_notes')
    .select('repo_filter')
    .distinct()
    .where('org_id', '=', orgId)
    .where('enabled', '=', true)
    .execute();
  return rows.map(({ repo_filter }) => repo_filter);
}

export interface NoteSearch {
  orgId: string;
  /** Whose own notes are found beside everybody's. */
  userId: string;
  query: string;
  /** The filters that let the session's repositories pass; null when any repository will do. */
  filters: readonly string[] | null;
  /** Whether notes of the scope `repository` are found. */
  isOnRepository: boolean;
  limit: number;
}

/** The enabled notes that share a word with the query, best first. */
export async function searchNotes(db: Kysely<DB>, search: NoteSearch) {
  const { orgId, userId, query, filters, isOnRepository, limit } = search;
  // Any word counts, and more words count more: a query is rarely worded as the note is.
  const words = sql<string>`replace(plainto_tsquery('english', ${query})::text, ' & ', ' | ')::tsquery`;
  return db
    .selectFrom('knowledge_notes')
    .select(['id as note_id', 'scope', 'repo_filter'])
    .select(sql<number>`ts_rank_cd(search, ${words}, 32)`.as('score'))
    .where('org_id', '=', orgId)
    .where('enabled', '=', true)
    .where(sql<boolean>`search @@ ${words}`)
    .where((eb) => eb.or([eb('scope', '<>', 'user'), eb('user_id', '=', userId)]))
    .$if(filters !== null, (rows) => rows.where(sql<boolean>`repo_filter = any(${filters}::text[])`))
    .$if(!isOnRepository, (rows) => rows.where('scope', '<>', 'repository'))
    .orderBy('score', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
