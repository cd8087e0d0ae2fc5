import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { principalOrNull } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';

/** Returns the stored values of namespaces; unchanged ones have none. */
export async function readSettings(db: Kysely<DB>, orgId: string, namespaces: readonly string[]) {
  return db
    .selectFrom('settings')
    .select(['namespace', 'value'])
    .$narrowType<{ value: unknown }>()
    .where('org_id', '=', orgId)
    .where('namespace', 'in', namespaces)
    .execute();
}

/** Returns the stored values of namespaces with their last change. */
export async function readSettingRecords(db: Kysely<DB>, orgId: string, namespaces: readonly string[]) {
  return db
    .selectFrom('settings')
    .select(['namespace', 'value', 'revision', 'updated_at', principalOrNull('settings.updated_by').as('updated_by')])
    .$narrowType<{ value: unknown }>()
    .where('org_id', '=', orgId)
    .where('namespace', 'in', namespaces)
    .execute();
}

/** Returns the stored values of a namespace, by organization. */
export async function readEverywhere(db: Kysely<DB>, namespace: string) {
  return db
    .selectFrom('settings')
    .select(['org_id', 'value'])
    .$narrowType<{ value: unknown }>()
    .where('namespace', '=', namespace)
    .execute();
}

/** Returns the stored values of a namespace in these organizations. */
export async function readSettingsAmong(db: Kysely<DB>, orgIds: readonly string[], namespace: string) {
  return db
    .selectFrom('settings')
    .select(['org_id', 'value'])
    .$narrowType<{ value: unknown }>()
    .where('namespace', '=', namespace)
    .where(sql<boolean>`org_id = any(${[...orgIds]}::text[])`)
    .execute();
}

/** Returns those of these organizations that are not deleted. */
export async function existingOf(db: Kysely<DB>, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const query = db.selectFrom('organizations').select('id').where('id', 'in', ids);
  return new Set((await query.where('state', '<>', 'deleting').execute()).map(({ id }) => id));
}

/** Keeps others from changing the organization's settings until the transaction ends; sessions may still be created. */
export async function lockSettings(trx: Transaction<DB>, orgId: string): Promise<void> {
  await trx.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate().execute();
}

/** Stores a value as the namespace's next revision. */
export async function writeSetting(
  trx: Transaction<DB>,
  row: Omit<Insertable<DB['settings']>, 'revision'>,
): Promise<void> {
  const { value, updated_at, updated_by_type, updated_by_id } = row;
  const change = { value, updated_at, updated_by_type, updated_by_id };
  await trx
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'namespace'])
        .doUpdateSet({ ...change, revision: sql<number>`settings.revision + 1` }),
    )
    .execute();
}

export async function agentExists(db: Kysely<DB>, orgId: string, id: string): Promise<boolean> {
  const query = db.selectFrom('agents').select('id').where('org_id', '=', orgId).where('deleted_at', 'is', null);
  return (await query.where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Returns true if the organization itself, not one of its repositories or members, has a secret with this key. */
export async function secretExists(db: Kysely<DB>, orgId: string, key: string): Promise<boolean> {
  const query = db.selectFrom('secrets').select('id').where('org_id', '=', orgId).where('scope', '=', 'organization');
  return (await query.where('key', '=', key).executeTakeFirst()) !== undefined;
}
