import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';

export interface KnowledgeSearch {
  query: string;
  /** `owner/name`; without it notes for any repository are found. */
  repo?: string | undefined;
  /** Whose own notes are found beside everybody's; `''` for nobody's. */
  userId: string;
  limit: number;
}

/** The enabled notes that share a word with the query, best first; `matches` is how many there are in all. */
export async function searchNotes(db: Kysely<DB>, orgId: string, { query, repo, userId, limit }: KnowledgeSearch) {
  // Any word counts, and more words count more: a query is rarely worded as the note is.
  const words = sql<string>`replace(plainto_tsquery('english', ${query})::text, ' & ', ' | ')::tsquery`;
  return db
    .selectFrom('knowledge_notes')
    .select(['id as note_id', 'name', 'trigger', 'body', 'scope', 'repo_filter', 'created_at', 'updated_at'])
    .select([
      sql<number>`ts_rank_cd(search, ${words}, 32)`.as('score'),
      sql<number>`(count(*) over ())::int`.as('matches'),
    ])
    .where('org_id', '=', orgId)
    .where('enabled', '=', true)
    .where(sql<boolean>`search @@ ${words}`)
    .where((eb) => eb.or([eb('scope', '<>', 'user'), eb('user_id', '=', userId)]))
    .$if(repo !== undefined, (rows) => rows.where(appliesTo(repo ?? '')))
    .orderBy('score', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** A glob's `*` stands for any characters; what LIKE takes for a wildcard stands for itself. */
function appliesTo(repo: string) {
  return sql<boolean>`(repo_filter = '' or exists (
    select 1 from unnest(string_to_array(repo_filter, ',')) as glob
    where ${repo} ilike replace(
      regexp_replace(regexp_replace(trim(glob), '^(github|gitlab|local):', ''), '([\\\\%_])', '\\\\\\1', 'g'), '*', '%')))`;
}
