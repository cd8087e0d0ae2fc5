import type { Kysely, Transaction, Insertable, Updateable } from 'kysely';
import type { ConnectionRef } from '../../adapters/source-control/port.ts';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import type { Provider } from '../../lib/providers.ts';

const shown = [
  'id',
  'provider',
  'kind',
  'host',
  'name',
  'account',
  'state',
  'problem',
  'last_verified_at',
  'missing_permissions',
  'webhook_problem',
  'last_delivery_at',
  'git_app_id',
  'created_at',
  'updated_at',
] as const;

export function connectionsQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('git_connections').where('org_id', '=', orgId);
}

export async function listConnectionRows(
  query: ReturnType<typeof connectionsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readConnection(db: Kysely<DB>, orgId: string, id: string) {
  return connectionsQuery(db, orgId).select(shown).where('id', '=', id).executeTakeFirst();
}

/** Returns a connection and locks it until the transaction ends. */
export async function lockConnection(trx: Transaction<DB>, orgId: string, id: string) {
  return connectionsQuery(trx, orgId).select(shown).where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Returns the organization's connections to a provider, the oldest first. */
export async function readConnectionsTo(db: Kysely<DB>, orgId: string, provider: Provider) {
  return connectionsQuery(db, orgId).select(shown).where('provider', '=', provider).orderBy('id').execute();
}

export async function insertConnection(trx: Transaction<DB>, row: Insertable<DB['git_connections']>) {
  return trx.insertInto('git_connections').values(row).returning(shown).executeTakeFirstOrThrow();
}

export async function updateConnectionRow(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  change: Updateable<DB['git_connections']>,
) {
  return trx
    .updateTable('git_connections')
    .set(change)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst();
}

/** Records what a host said, unless the connection got another credential meanwhile. */
export async function recordHealth(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  sealed: Buffer | undefined,
  change: Updateable<DB['git_connections']>,
) {
  await trx
    .updateTable('git_connections')
    .set(change)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .$if(sealed !== undefined, (q) => q.where('sealed_credential', '=', sealed ?? null))
    .execute();
  return readConnection(trx, orgId, id);
}

/** Counts the connections of a locked organization. */
export async function countConnections(trx: Transaction<DB>, orgId: string): Promise<number> {
  await trx.selectFrom('organizations').select('id').where('id', '=', orgId).forUpdate().execute();
  const row = await connectionsQuery(trx, orgId)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Returns false if it does not exist. */
export async function deleteConnectionRow(trx: Transaction<DB>, orgId: string, id: string): Promise<boolean> {
  const result = await trx
    .deleteFrom('git_connections')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

export async function connectionIsUsed(db: Kysely<DB>, orgId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('repositories')
    .select('id')
    .where('org_id', '=', orgId)
    .where('connection_id', '=', id)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns a connection with its sealed credential. */
export async function readSealedConnection(db: Kysely<DB>, orgId: string, id: string) {
  return connectionsQuery(db, orgId)
    .select(['url', 'state', 'problem', 'sealed_credential'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Marks a connection as revoked while it has this credential. */
export async function markRevoked(
  db: Kysely<DB>,
  { orgId, connectionId }: ConnectionRef,
  sealed: Buffer,
  problem: string,
  now: Date,
): Promise<void> {
  await db
    .updateTable('git_connections')
    .set({ state: 'revoked', problem, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', connectionId)
    .where('sealed_credential', '=', sealed)
    .where('state', '<>', 'revoked')
    .execute();
}
