import type { Kysely, Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** The owner of preferences. */
export interface Owner {
  readonly orgId: string;
  readonly userId: string;
}

export async function readPreference(db: Kysely<DB>, { orgId, userId }: Owner, name: string) {
  return db
    .selectFrom('preferences')
    .select(['value', 'updated_at'])
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Locks a user's preferences until the transaction ends; returns their names. */
export async function lockPreferences(trx: Transaction<DB>, { orgId, userId }: Owner): Promise<string[]> {
  await trx
    .selectFrom('members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .execute();
  const rows = await trx
    .selectFrom('preferences')
    .select('name')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ name }) => name);
}

export async function upsertPreference(
  trx: Transaction<DB>,
  { orgId, userId }: Owner,
  name: string,
  value: string,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('preferences')
    .values({ org_id: orgId, user_id: userId, name, value, updated_at: now })
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id', 'name']).doUpdateSet({ value, updated_at: now }))
    .execute();
}
