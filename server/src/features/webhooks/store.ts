import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';
import type { DisabledReason } from './schemas.ts';

const shown = [
  'id',
  'name',
  'url',
  'events',
  'enabled',
  'disabled_reason',
  'failing_since',
  principal('webhooks.created_by').as('created_by'),
  'created_at',
  'updated_at',
] as const;

export function webhooksQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('webhooks').$narrowType<{ disabled_reason: DisabledReason }>().where('org_id', '=', orgId);
}

export async function listWebhookRows(
  query: ReturnType<typeof webhooksQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readWebhook(db: Kysely<DB>, orgId: string, id: string) {
  return webhooksQuery(db, orgId).select(shown).where('id', '=', id).executeTakeFirst();
}

/** Locks a webhook until the transaction ends, so that nothing is delivered or added meanwhile. */
export async function lockWebhook(trx: Transaction<DB>, orgId: string, id: string) {
  return webhooksQuery(trx, orgId)
    .select([...shown, 'sealed_secret', 'scopes'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Keeps others from adding webhooks to the organization until the transaction ends. */
export async function lockWebhooks(trx: Transaction<DB>, orgId: string): Promise<number> {
  await sql`select 1 from organizations where id = ${orgId} for no key update`.execute(trx);
  const { rows } = await sql<{ count: number }>`select count(*) from webhooks where org_id = ${orgId}`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Returns the url and the sealed secrets, for callers that send. */
export async function readSigning(db: Kysely<DB>, orgId: string, id: string) {
  return db
    .selectFrom('webhooks')
    .select(['url', 'sealed_secret', 'sealed_previous_secret', 'previous_until'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function readOrganizationOf(db: Kysely<DB>, id: string): Promise<string | undefined> {
  return (await db.selectFrom('webhooks').select('org_id').where('id', '=', id).executeTakeFirst())?.org_id;
}

export async function insertWebhook(trx: Transaction<DB>, row: Insertable<DB['webhooks']>): Promise<void> {
  await trx.insertInto('webhooks').values(row).execute();
}

export async function updateWebhookRow(
  trx: Transaction<DB>,
  id: string,
  change: Updateable<DB['webhooks']>,
): Promise<void> {
  await trx.updateTable('webhooks').set(change).where('id', '=', id).execute();
}

export async function deleteWebhookRow(trx: Transaction<DB>, id: string): Promise<void> {
  await trx.deleteFrom('webhooks').where('id', '=', id).execute();
}

/** Locks the enabled webhooks of organizations, in an order that excludes deadlocks. */
export async function lockReceivers(trx: Transaction<DB>, orgIds: readonly string[]) {
  return trx
    .selectFrom('webhooks')
    .select(['id', 'org_id', 'events', 'scopes', 'pending'])
    .where('org_id', 'in', orgIds)
    .where('enabled', '=', true)
    .orderBy('id')
    .forUpdate()
    .execute();
}
