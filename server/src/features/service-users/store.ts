import type { Kysely, Transaction, Insertable, Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';

const shown = ['id', 'name', 'description', 'disabled_at', 'created_at', 'updated_at'] as const;

export function serviceUsersQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('service_users').where('org_id', '=', orgId);
}

export async function listServiceUserRows(
  query: ReturnType<typeof serviceUsersQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readServiceUser(db: Kysely<DB>, orgId: string, id: string) {
  return serviceUsersQuery(db, orgId).select(shown).where('id', '=', id).executeTakeFirst();
}

/** Returns the service user and locks it until the transaction ends. */
export async function lockServiceUser(trx: Transaction<DB>, orgId: string, id: string) {
  return serviceUsersQuery(trx, orgId).select(shown).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

export async function insertServiceUser(trx: Transaction<DB>, row: Insertable<DB['service_users']>) {
  return trx.insertInto('service_users').values(row).returning(shown).executeTakeFirstOrThrow();
}

export async function updateServiceUserRow(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  change: Updateable<DB['service_users']>,
) {
  return trx
    .updateTable('service_users')
    .set(change)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst();
}
