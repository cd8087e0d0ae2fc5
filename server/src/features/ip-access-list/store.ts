import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

const shown = ['id', 'cidr', 'note', 'created_at'] as const;

export async function readEntries(db: Kysely<DB>, orgId: string) {
  return db
    .selectFrom('ip_access_entries')
    .select(shown)
    .where('org_id', '=', orgId)
    .orderBy('position')
    .orderBy('id')
    .execute();
}

export async function readEnabled(db: Kysely<DB>, orgId: string): Promise<boolean> {
  const query = db.selectFrom('organizations').select('ip_list_enabled').where('id', '=', orgId);
  return (await query.executeTakeFirst())?.ip_list_enabled ?? false;
}

/** Returns the facts that decide about open streams; undefined if the organization no longer exists. */
export async function readGate(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('organizations').select(['state', 'ip_list_enabled']).where('id', '=', orgId).executeTakeFirst();
}

/** Locks the list until the transaction ends. */
export async function lockList(trx: Transaction<DB>, orgId: string): Promise<void> {
  await trx.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate().execute();
}

/**
 * Starts a change of the list: locks it until the transaction ends, then notifies every process. Returns the new value of
 * `enabled`.
 */
export async function reviseList(trx: Transaction<DB>, orgId: string, enabled?: boolean): Promise<boolean> {
  const row = await trx
    .updateTable('organizations')
    .set((eb) => ({
      ip_list_revision: eb('ip_list_revision', '+', 1),
      ...(enabled === undefined ? {} : { ip_list_enabled: enabled }),
    }))
    .where('id', '=', orgId)
    .returning('ip_list_enabled')
    .executeTakeFirstOrThrow();
  await sql`select pg_notify('guildhall_ip_lists', ${orgId})`.execute(trx);
  return row.ip_list_enabled;
}

export async function insertEntry(trx: Transaction<DB>, row: Insertable<DB['ip_access_entries']>) {
  return trx.insertInto('ip_access_entries').values(row).returning(shown).executeTakeFirstOrThrow();
}

export async function deleteEntry(trx: Transaction<DB>, orgId: string, id: string): Promise<void> {
  await trx.deleteFrom('ip_access_entries').where('org_id', '=', orgId).where('id', '=', id).execute();
}

export async function replaceEntries(
  trx: Transaction<DB>,
  orgId: string,
  rows: Insertable<DB['ip_access_entries']>[],
): Promise<void> {
  await trx.deleteFrom('ip_access_entries').where('org_id', '=', orgId).execute();
  if (rows.length > 0) await trx.insertInto('ip_access_entries').values(rows).execute();
}
