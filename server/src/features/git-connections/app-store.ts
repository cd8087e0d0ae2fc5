import type { Insertable, Kysely, Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';

export const shownOfApp = [
  'id',
  'url',
  'app_id',
  'slug',
  'name',
  'html_url',
  'webhook_secret_rotated_at',
  'created_at',
] as const;

export async function insertApp(trx: Transaction<DB>, row: Insertable<DB['git_apps']>) {
  return trx.insertInto('git_apps').values(row).returning(shownOfApp).executeTakeFirstOrThrow();
}

export function appsQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('git_apps').where('org_id', '=', orgId);
}

export async function listAppRows(query: ReturnType<typeof appsQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shownOfApp), after, limit).execute();
}

/** Returns an App with its sealed private key. */
export async function readApp(db: Kysely<DB>, orgId: string, id: string) {
  return appsQuery(db, orgId)
    .select([...shownOfApp, 'sealed_private_key'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns an App and locks it until the transaction ends: `share` only keeps it from changing. */
export async function lockApp(trx: Transaction<DB>, orgId: string, id: string, lock: 'update' | 'share') {
  return appsQuery(trx, orgId)
    .select(shownOfApp)
    .where('id', '=', id)
    .$if(lock === 'update', (q) => q.forUpdate())
    .$if(lock === 'share', (q) => q.forShare())
    .executeTakeFirst();
}

export async function deleteAppRow(trx: Transaction<DB>, orgId: string, id: string): Promise<void> {
  await trx.deleteFrom('git_apps').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Returns the ids and names of an App's connections, the oldest first. */
export async function connectionsOfApp(db: Kysely<DB>, orgId: string, id: string) {
  return db
    .selectFrom('git_connections')
    .select(['id', 'name'])
    .where('org_id', '=', orgId)
    .where('git_app_id', '=', id)
    .orderBy('id')
    .execute();
}

/** Returns the ids of the connections that a webhook is of: one, or those of an App. */
export async function connectionsOfHook(db: Kysely<DB>, orgId: string, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('git_connections')
    .select('id')
    .where('org_id', '=', orgId)
    .where((eb) => eb.or([eb('id', '=', id), eb('git_app_id', '=', id)]))
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}
