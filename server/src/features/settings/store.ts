import type { Kysely, Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** What was put, of the namespaces of which something was. */
export async function readSettings(db: Kysely<DB>, orgId: string, namespaces: readonly string[]) {
  return db
    .selectFrom('settings')
    .select(['namespace', 'value'])
    .$narrowType<{ value: unknown }>()
    .where('org_id', '=', orgId)
    .where('namespace', 'in', namespaces)
    .execute();
}

/** What was put into a namespace, by organization. */
export async function readEverywhere(db: Kysely<DB>, namespace: string) {
  return db
    .selectFrom('settings')
    .select(['org_id', 'value'])
    .$narrowType<{ value: unknown }>()
    .where('namespace', '=', namespace)
    .execute();
}

/** Keeps others from changing the organization's settings until the transaction ends; sessions may still be created. */
export async function lockSettings(trx: Transaction<DB>, orgId: string): Promise<void> {
  await trx.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate().execute();
}

export async function writeSetting(
  trx: Transaction<DB>,
  row: { org_id: string; namespace: string; value: string; updated_at: Date },
): Promise<void> {
  await trx
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'namespace']).doUpdateSet({ value: row.value, updated_at: row.updated_at }),
    )
    .execute();
}

export async function deleteSetting(trx: Transaction<DB>, orgId: string, namespace: string): Promise<void> {
  await trx.deleteFrom('settings').where('org_id', '=', orgId).where('namespace', '=', namespace).execute();
}

export async function agentExists(db: Kysely<DB>, orgId: string, id: string): Promise<boolean> {
  const query = db.selectFrom('agents').select('id').where('org_id', '=', orgId).where('deleted_at', 'is', null);
  return (await query.where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Whether the organization itself, and not one of its repositories or people, has a secret of this key. */
export async function secretExists(db: Kysely<DB>, orgId: string, key: string): Promise<boolean> {
  const query = db.selectFrom('secrets').select('id').where('org_id', '=', orgId).where('scope', '=', 'organization');
  return (await query.where('key', '=', key).executeTakeFirst()) !== undefined;
}
