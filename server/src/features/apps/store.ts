import type { Insertable, Kysely, Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';

const shown = ['id', 'name', 'description', 'created_at'] as const;

export function appsQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('apps').where('org_id', '=', orgId);
}

export async function listAppRows(query: ReturnType<typeof appsQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readApp(db: Kysely<DB>, orgId: string, id: string) {
  return appsQuery(db, orgId).select(shown).where('id', '=', id).executeTakeFirst();
}

export async function insertApp(trx: Transaction<DB>, row: Insertable<DB['apps']>) {
  return trx.insertInto('apps').values(row).returning(shown).executeTakeFirstOrThrow();
}

/** Returns the deleted app; undefined if it does not exist. */
export async function deleteAppRow(trx: Transaction<DB>, orgId: string, id: string) {
  return trx.deleteFrom('apps').where('org_id', '=', orgId).where('id', '=', id).returning('name').executeTakeFirst();
}
