import type { Insertable, Kysely, Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';

export async function readExecutor(db: Kysely<DB>, orgId: string, automationId: string) {
  return db
    .selectFrom('automation_executors')
    .select(['automation_id', 'url', 'sealed_secret', 'principal_type', 'principal_id', 'principal_name', 'updated_at'])
    .where('org_id', '=', orgId)
    .where('automation_id', '=', automationId)
    .executeTakeFirst();
}

export async function putExecutor(trx: Transaction<DB>, row: Insertable<DB['automation_executors']>): Promise<void> {
  const { automation_id: _, org_id: __, ...change } = row;
  await trx
    .insertInto('automation_executors')
    .values(row)
    .onConflict((conflict) => conflict.column('automation_id').doUpdateSet(change))
    .execute();
}

export async function deleteExecutor(trx: Transaction<DB>, orgId: string, automationId: string): Promise<void> {
  await trx
    .deleteFrom('automation_executors')
    .where('org_id', '=', orgId)
    .where('automation_id', '=', automationId)
    .execute();
}
