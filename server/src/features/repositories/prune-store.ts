import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import { builtInProvider } from '../../lib/providers.ts';

/**
 * Returns the repositories of the built-in host in all organizations, including deleted ones, which can be restored.
 */
export async function listHosted(db: Kysely<DB>): Promise<{ id: string; org_id: string }[]> {
  return db
    .selectFrom('repositories')
    .select(['id', 'org_id'])
    .where('provider', '=', builtInProvider)
    .orderBy('id')
    .execute();
}

/** Returns the commits that change requests compare, and those that sessions started from and delivered. */
export async function commitsNamed(db: Kysely<DB>, orgId: string, id: string): Promise<string[]> {
  const held = JSON.stringify([{ repository_id: id }]);
  const { rows } = await sql<{ commit: string | null }>`
    select base_sha as commit from change_requests where repository_id = ${id}
    union select head_sha from change_requests where repository_id = ${id}
    union select unnest(array[one ->> 'base_commit', one ->> 'delivered_commit'])
      from sessions, jsonb_array_elements(repositories) as one
      where org_id = ${orgId} and repositories @> ${held}::jsonb and one ->> 'repository_id' = ${id}`.execute(db);
  return rows.flatMap(({ commit }) => commit ?? []);
}
