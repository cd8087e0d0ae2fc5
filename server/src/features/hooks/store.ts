import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { Provider } from '../../lib/providers.ts';

/** The key of a delivery's body. */
export function blobOf(orgId: string, id: string): string {
  return `deliveries/${orgId}/${id}`;
}

export async function hasDelivery(db: Kysely<DB>, hookId: string, deliveryId: string): Promise<boolean> {
  const found = await db
    .selectFrom('deliveries')
    .select('id')
    .where('hook_id', '=', hookId)
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns false if the webhook already has a delivery with this id. */
export async function insertDelivery(trx: Transaction<DB>, row: Insertable<DB['deliveries']>): Promise<boolean> {
  const inserted = await trx
    .insertInto('deliveries')
    .values(row)
    .onConflict((conflict) => conflict.columns(['hook_id', 'delivery_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Records that a connection's host delivers. */
export async function noteDelivered(
  trx: Transaction<DB>,
  orgId: string,
  connectionId: string,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('git_connections')
    .set({ last_delivery_at: now })
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('id', '=', connectionId), eb('git_app_id', '=', connectionId)]))
    .execute();
}

/** Returns a delivery that was not read yet, with the provider of its connection or App; undefined for any other. */
export async function readDeliveryRow(db: Kysely<DB>, id: string) {
  return db
    .selectFrom('deliveries as d')
    .leftJoin('git_connections as c', (join) =>
      join.onRef('c.id', '=', 'd.connection_id').onRef('c.org_id', '=', 'd.org_id'),
    )
    .leftJoin('git_apps as a', (join) => join.onRef('a.id', '=', 'd.connection_id').onRef('a.org_id', '=', 'd.org_id'))
    .innerJoin('organizations as o', 'o.id', 'd.org_id')
    .select(['d.id', 'd.org_id', 'd.connection_id', 'd.attempts', 'o.state as org_state'])
    .select(sql<Provider | null>`coalesce(c.provider, a.provider)`.as('provider'))
    .select(sql<Record<string, string>>`d.headers`.as('headers'))
    .where('d.id', '=', id)
    .where('d.state', '=', 'received')
    .executeTakeFirst();
}

/** Changes a delivery that was not read yet; returns false if it was. */
export async function updateDelivery(
  db: Kysely<DB>,
  id: string,
  change: Updateable<DB['deliveries']>,
): Promise<boolean> {
  const updated = await db
    .updateTable('deliveries')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', 'received')
    .returning('id')
    .executeTakeFirst();
  return updated !== undefined;
}

/** Returns the oldest deliveries that were received before an instant, optionally of one organization. */
export async function listOldDeliveries(db: Kysely<DB>, orgId: string, before: Date, limit: number) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'org_id', 'size_bytes'])
    .where('received_at', '<', before)
    .$if(orgId !== '', (q) => q.where('org_id', '=', orgId))
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deleteDeliveries(db: Kysely<DB>, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('deliveries').where('id', 'in', ids).execute();
}

/** Returns those of these ids whose body is still needed. */
export async function unreadDeliveries(db: Kysely<DB>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('deliveries')
    .select('id')
    .where('id', 'in', ids)
    .where('state', '=', 'received')
    .execute();
  return new Set(rows.map(({ id }) => id));
}
