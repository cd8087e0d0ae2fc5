import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { FoundType } from './schemas.ts';

/** The newest documents are compared one by one, because the index would first collect every document with a frequent word. */
const newest = 2_000;
/** The largest number of documents that are ordered by time: of a rare word all that there are. */
const mostSorted = 5_000;

/** The documents to search: those of one organization and type, shared ones and those of `owner`. */
export interface Place {
  readonly orgId: string;
  readonly type: FoundType;
  readonly owner: string;
}

/** Keeps the planner from reading a whole table where it overestimates how frequent a word is. */
export async function preferIndexes(trx: Transaction<DB>): Promise<void> {
  await sql`set local enable_seqscan = off`.execute(trx);
}

/** Returns the query for documents with every word of a text; undefined if it has no words. */
export async function parseQuery(trx: Kysely<DB>, { orgId, type, owner }: Place, text: string) {
  const of = (whose: string) => sql`search_query(search_scope(${orgId}, ${type}, ${whose}), ${text})`;
  const query = owner === '' ? of('') : sql`${of('')} || ${of(owner)}`;
  const { rows } = await sql<{ query: string | null }>`select (${query})::text as query`.execute(trx);
  return rows[0]?.query ?? undefined;
}

/** Selects the newest matches among the newest documents. */
export function amongNewest({ orgId, type }: Place, query: string, limit: number): RawBuilder<{ id: string }> {
  return sql<{ id: string }>`
    select id from (
      select id, words from search_documents where org_id = ${orgId} and type = ${type} order by id desc limit ${newest}
    ) as newest
    where words @@ ${query}::tsquery order by id desc limit ${limit}`;
}

/** Selects the newest of all matches, or of as many as are sorted. */
export function amongAll({ orgId, type }: Place, query: string, limit: number): RawBuilder<{ id: string }> {
  return sql<{ id: string }>`
    select id from (
      select id from search_documents
      where words @@ ${query}::tsquery and org_id = ${orgId} and type = ${type} limit ${mostSorted}
    ) as found
    order by id desc limit ${limit}`;
}

export interface FoundRow {
  id: string;
  title: string;
  detail: string;
  state: string;
  repository_id: string;
  number: number | null;
  created_at: Date;
}

const nothing = sql`'' as repository_id, null::integer as number`;

/** The rows of what was found, as far as they still exist. */
const shown: Readonly<Record<FoundType, RawBuilder<unknown>>> = {
  session: sql`select id, coalesce(nullif(title, ''), left(prompt, 100)) as title,
    coalesce(repositories -> 0 ->> 'repo', '') as detail, status as state, ${nothing}, created_at, org_id from sessions`,
  change_request: sql`select c.id, c.title, r.repo as detail, c.state, c.repository_id, c.number, c.created_at, c.org_id
    from change_requests c join repositories r on r.id = c.repository_id where r.deleted_at is null`,
  repository: sql`select id, repo as title, '' as detail, '' as state, ${nothing}, created_at, org_id from repositories
    where deleted_at is null`,
  note: sql`select id, name as title, left(trigger, 200) as detail, '' as state, ${nothing}, created_at, org_id
    from knowledge_notes`,
  automation: sql`select id, name as title, '' as detail, status as state, ${nothing}, created_at, org_id from automations`,
  member: sql`select u.id, u.name as title, u.email as detail, '' as state, ${nothing}, m.joined_at as created_at, m.org_id
    from members m join users u on u.id = m.user_id`,
};

export async function readFound(trx: Kysely<DB>, { orgId, type }: Place, ids: readonly string[]): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select id, title, detail, state, repository_id, number, created_at from (${shown[type]}) as shown
    where org_id = ${orgId} and id = any(${[...ids]}) order by id desc`.execute(trx);
  return rows;
}
