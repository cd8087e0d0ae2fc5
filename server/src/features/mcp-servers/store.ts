import { sql, type Insertable, type Kysely, type Selectable, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import { containing } from '../../db/pattern.ts';

/** Columns that a client may see. */
const shown = [
  'id',
  'slug',
  'name',
  'icon',
  'description',
  'source',
  'url',
  'command',
  'args',
  'env',
  'headers',
  'access',
  'enabled',
  'created_at',
  'updated_at',
] as const;

export interface ServerFilter {
  readonly enabled?: readonly boolean[];
  readonly search?: string;
}

export function serversQuery(db: Kysely<DB>, orgId: string, filter: ServerFilter = {}) {
  const { enabled = [], search } = filter;
  const pattern = containing(search ?? '');
  return db
    .selectFrom('mcp_servers')
    .where('org_id', '=', orgId)
    .$if(enabled.length > 0, (query) => query.where('enabled', 'in', enabled))
    .$if(search !== undefined, (query) =>
      query.where((eb) =>
        eb.or([eb('name', 'ilike', pattern), eb('slug', 'ilike', pattern), eb('description', 'ilike', pattern)]),
      ),
    );
}

function withSecretNames(query: ReturnType<typeof serversQuery>) {
  return query
    .select(shown)
    .select(
      sql<string[]>`array(select name from mcp_server_secrets where server_id = mcp_servers.id order by name)`.as(
        'secret_names',
      ),
    )
    .$narrowType<{ env: Record<string, string>; headers: Record<string, string> }>();
}

/** The repositories that a server applies to with the access `repositories`. */
const repositories = sql<{ id: string; provider: string; repo: string }[]>`coalesce((
  select jsonb_agg(jsonb_build_object('id', r.id, 'provider', r.provider, 'repo', r.repo) order by r.repo, r.id)
  from mcp_server_repositories s join repositories r on r.id = s.repository_id and r.deleted_at is null
  where s.server_id = mcp_servers.id), '[]'::jsonb)`.as('repositories');

export async function listServerRows(query: ReturnType<typeof serversQuery>, after: string | undefined, limit: number) {
  return newestFirst(withSecretNames(query), after, limit).execute();
}

export async function readServer(db: Kysely<DB>, orgId: string, id: string) {
  return withSecretNames(serversQuery(db, orgId))
    .select([repositories, 'written_by'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns the server and locks it until the transaction ends. */
export async function lockServer(trx: Transaction<DB>, orgId: string, id: string) {
  return withSecretNames(serversQuery(trx, orgId))
    .select([repositories, 'written_by'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Keeps others from adding servers to the organization until the transaction ends. */
export async function lockServers(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select 1 from organizations where id = ${orgId} for no key update`.execute(trx);
}

export async function listSlugs(trx: Transaction<DB>, orgId: string): Promise<Set<string>> {
  const rows = await serversQuery(trx, orgId).select('slug').execute();
  return new Set(rows.map(({ slug }) => slug));
}

export async function insertServer(trx: Transaction<DB>, row: Insertable<DB['mcp_servers']>): Promise<void> {
  await trx.insertInto('mcp_servers').values(row).execute();
}

export async function updateServerRow(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  change: Updateable<DB['mcp_servers']>,
): Promise<void> {
  await trx.updateTable('mcp_servers').set(change).where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Returns false if it does not exist. */
export async function deleteServerRow(trx: Transaction<DB>, orgId: string, id: string): Promise<boolean> {
  const result = await trx
    .deleteFrom('mcp_servers')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

export async function replaceServerRepositories(
  trx: Transaction<DB>,
  orgId: string,
  serverId: string,
  repositoryIds: readonly string[],
): Promise<void> {
  await trx
    .deleteFrom('mcp_server_repositories')
    .where('org_id', '=', orgId)
    .where('server_id', '=', serverId)
    .execute();
  if (repositoryIds.length === 0) return;
  const rows = repositoryIds.map((repositoryId) => ({
    org_id: orgId,
    server_id: serverId,
    repository_id: repositoryId,
  }));
  await trx.insertInto('mcp_server_repositories').values(rows).execute();
}

export async function upsertServerSecret(
  trx: Transaction<DB>,
  row: Omit<Selectable<DB['mcp_server_secrets']>, 'created_at' | 'target'> & { target: string },
): Promise<void> {
  const { sealed, updated_at, written_by, target } = row;
  await trx
    .insertInto('mcp_server_secrets')
    .values({ ...row, created_at: updated_at })
    .onConflict((conflict) =>
      conflict.columns(['server_id', 'name']).doUpdateSet({ sealed, updated_at, written_by, target }),
    )
    .execute();
}

/** Returns false if it does not exist. */
export async function deleteServerSecret(
  trx: Transaction<DB>,
  orgId: string,
  serverId: string,
  name: string,
): Promise<boolean> {
  const result = await trx
    .deleteFrom('mcp_server_secrets')
    .where('org_id', '=', orgId)
    .where('server_id', '=', serverId)
    .where('name', '=', name)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Returns the sealed secrets of these servers, for callers that open them. */
export async function listServerSecrets(db: Kysely<DB>, orgId: string, serverIds: readonly string[]) {
  if (serverIds.length === 0) return [];
  return db
    .selectFrom('mcp_server_secrets')
    .select(['server_id', 'name', 'sealed', 'target', 'written_by'])
    .where('org_id', '=', orgId)
    .where('server_id', 'in', serverIds)
    .orderBy('name')
    .execute();
}

/** Returns servers by slug, with the repositories that they apply to. */
export async function listServers(db: Kysely<DB>, orgId: string, filter: ServerFilter = {}) {
  return withSecretNames(serversQuery(db, orgId, filter))
    .select([repositories, 'written_by'])
    .orderBy('slug')
    .execute();
}

/** Returns the ids of the servers that a session requested. */
export async function readChosenServers(db: Kysely<DB>, orgId: string, sessionId: string): Promise<string[]> {
  const row = await db
    .selectFrom('sessions')
    .select(sql`options -> 'mcp_server_ids'`.as('ids'))
    .where('org_id', '=', orgId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return Array.isArray(row?.ids) ? row.ids.map(String) : [];
}
