import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';
import type { ViewedList } from './schemas.ts';

const shown = ['id', 'list', 'name', 'query', principal('views.created_by').as('created_by'), 'created_at'] as const;

interface Stored {
  list: ViewedList;
  query: Record<string, string>;
}

export function viewsQuery(db: Kysely<DB>, orgId: string, lists: readonly ViewedList[]) {
  return db
    .selectFrom('views')
    .where('org_id', '=', orgId)
    .where('list', '=', sql<ViewedList>`any(${[...lists]}::text[])`);
}

export async function listViewRows(query: ReturnType<typeof viewsQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown).$narrowType<Stored>(), after, limit).execute();
}

export async function readView(db: Kysely<DB>, orgId: string, lists: readonly ViewedList[], id: string) {
  return viewsQuery(db, orgId, lists).select(shown).$narrowType<Stored>().where('id', '=', id).executeTakeFirst();
}

/** Locks a view until the transaction ends. */
export async function lockView(trx: Transaction<DB>, orgId: string, lists: readonly ViewedList[], id: string) {
  return viewsQuery(trx, orgId, lists)
    .select([...shown, 'created_by_type', 'created_by_id'])
    .$narrowType<Stored>()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Counts an organization's views, and reserves the count until the transaction ends. */
export async function countViews(trx: Transaction<DB>, orgId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`views ${orgId}`}, 0))`.execute(trx);
  const { count } = await trx
    .selectFrom('views')
    .select(sql<number>`count(*)`.as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns false if the list already has a view with this name. */
export async function insertView(trx: Transaction<DB>, row: Insertable<DB['views']>): Promise<boolean> {
  const inserted = await trx
    .insertInto('views')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function deleteViewRow(trx: Transaction<DB>, id: string): Promise<void> {
  await trx.deleteFrom('views').where('id', '=', id).execute();
}
