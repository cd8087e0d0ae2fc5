import { sql, type Kysely, type Transaction, type Insertable, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import { containing } from '../../db/pattern.ts';
import { builtInProvider, type Provider } from '../../lib/providers.ts';

/** The web address of its host; `''` for the built-in one, and without a connection. */
const hostUrl = sql<string>`coalesce((select c.url from git_connections c where c.id = repositories.connection_id), '')`;

const shown = [
  'id',
  'provider',
  'repo',
  'default_branch',
  'connection_id',
  'setup_command',
  'verify_command',
  'environment_written_by',
  'image',
  'index_state',
  'index_commit',
  'indexed_at',
  'index_error',
  'wiki_state',
  'wiki_generated_at',
  'last_session_at',
  'deleted_at',
  hostUrl.as('host_url'),
] as const;

/** Selects existing repositories; with `deletedAfter` those that were deleted since. */
export function repositoriesQuery(
  db: Kysely<DB>,
  orgId: string,
  filter: { connectionId?: string; search?: string; deletedAfter?: Date } = {},
) {
  const { connectionId, search, deletedAfter } = filter;
  return db
    .selectFrom('repositories')
    .where('org_id', '=', orgId)
    .$if(deletedAfter === undefined, (q) => q.where('deleted_at', 'is', null))
    .$if(deletedAfter !== undefined, (q) => q.where('deleted_at', '>', deletedAfter ?? null))
    .$if(connectionId !== undefined, (q) => q.where('connection_id', '=', connectionId ?? ''))
    .$if(search !== undefined, (q) => q.where('repo', 'ilike', containing(search ?? '')));
}

export async function listRepositoryRows(
  query: ReturnType<typeof repositoriesQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readRepository(db: Kysely<DB>, orgId: string, id: string) {
  return repositoriesQuery(db, orgId).select(shown).where('id', '=', id).executeTakeFirst();
}

/** Finds repositories named `owner/name`, case-insensitively, at one provider or at any. */
export async function findRepositories(db: Kysely<DB>, orgId: string, repo: string, provider?: Provider) {
  return repositoriesQuery(db, orgId)
    .select(shown)
    .where(sql`lower(repo)`, '=', repo.toLowerCase())
    .$if(provider !== undefined, (q) => q.where('provider', '=', provider ?? builtInProvider))
    .execute();
}

/** Returns those of a connection's repositories that have one of these names. */
export async function repositoriesOfConnection(
  db: Kysely<DB>,
  orgId: string,
  connectionId: string,
  names: readonly string[],
) {
  const wanted = names.map((name) => name.toLowerCase());
  return repositoriesQuery(db, orgId, { connectionId })
    .select(shown)
    .where(sql<boolean>`lower(repo) = any(${wanted})`)
    .execute();
}

/** Returns the ids of the repositories with any of these names, `owner/name` or `provider:owner/name`. */
export async function repositoryIdsNamed(db: Kysely<DB>, orgId: string, names: readonly string[]): Promise<string[]> {
  const wanted = names.map((name) => name.toLowerCase());
  const rows = await repositoriesQuery(db, orgId)
    .select('id')
    .where(sql<boolean>`(lower(repo) = any(${wanted}) or provider || ':' || lower(repo) = any(${wanted}))`)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns undefined if the organization already has a repository with this name. */
export async function insertRepository(trx: Transaction<DB>, row: Insertable<DB['repositories']>) {
  return trx
    .insertInto('repositories')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning(shown)
    .executeTakeFirst();
}

export async function updateRepositoryRow(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  change: Updateable<DB['repositories']>,
) {
  return trx
    .updateTable('repositories')
    .set(change)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning(shown)
    .executeTakeFirst();
}

/** Locks a repository until the transaction ends; false if it does not exist. */
export async function lockRepository(trx: Transaction<DB>, orgId: string, id: string): Promise<boolean> {
  const row = await repositoriesQuery(trx, orgId).select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return row !== undefined;
}

/** Returns the next change request number of a locked repository. */
export async function takeNumber(trx: Transaction<DB>, id: string): Promise<number> {
  const row = await trx
    .updateTable('repositories')
    .set({ next_number: sql<number>`next_number + 1` })
    .where('id', '=', id)
    .returning(sql<number>`next_number - 1`.as('number'))
    .executeTakeFirstOrThrow();
  return row.number;
}

export async function touchRepositories(trx: Transaction<DB>, orgId: string, ids: string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('repositories')
    .set({ last_session_at: now })
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
}
