import type { Insertable, Kysely, Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';

/** Ends the current prices of models. */
export async function endPrices(trx: Transaction<DB>, orgId: string, models: readonly string[], now: Date) {
  await trx
    .updateTable('model_prices')
    .set({ effective_until: now })
    .where('org_id', '=', orgId)
    .where('model', 'in', models)
    .where('effective_until', 'is', null)
    .execute();
}

export async function insertPrices(trx: Transaction<DB>, rows: readonly Insertable<DB['model_prices']>[]) {
  await trx.insertInto('model_prices').values(rows).execute();
}

export function pricesQuery(db: Kysely<DB>, orgId: string, model?: string) {
  return db
    .selectFrom('model_prices')
    .where('org_id', '=', orgId)
    .$if(model !== undefined, (q) => q.where('model', '=', model ?? ''));
}

export async function listPriceRows(query: ReturnType<typeof pricesQuery>, after: string | undefined, limit: number) {
  const columns = [
    'id',
    'model',
    'input_per_mtok',
    'output_per_mtok',
    'cached_input_per_mtok',
    'effective_from',
    'effective_until',
  ] as const;
  return newestFirst(query.select(columns), after, limit).execute();
}
