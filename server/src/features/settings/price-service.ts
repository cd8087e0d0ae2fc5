import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import type { ModelSettings } from './namespaces/model-value.ts';
import { endPrices, insertPrices, listPriceRows, pricesQuery } from './price-store.ts';

type Prices = ModelSettings['prices'];

/** Records which prices of models change, from now on. */
export async function recordPrices(
  trx: Transaction<DB>,
  orgId: string,
  { before, after }: { before: Prices; after: Prices },
  now: Date,
): Promise<void> {
  const models = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = models.filter((model) => !isDeepStrictEqual(before[model], after[model]));
  if (changed.length === 0) return;
  await endPrices(trx, orgId, changed, now);
  const rows = changed.flatMap((model) => {
    const price = after[model];
    return price === undefined
      ? []
      : [{ id: newId('prc', now.getTime()), org_id: orgId, model, ...price, effective_from: now }];
  });
  if (rows.length > 0) await insertPrices(trx, rows);
}

/** Lists the organization's prices of models with the times at which they applied, newest first. */
export async function listPrices(
  ctx: Pick<Context, 'db'>,
  caller: Actor,
  { model, ...query }: PageQuery & { model?: string },
) {
  const orgId = caller.organization.id;
  const rows = pricesQuery(ctx.db.kysely, orgId, model);
  const page = await paginate({
    list: 'model_prices',
    filters: { orgId, model },
    query,
    rows: (after, limit) => listPriceRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return {
    ...page,
    items: page.items.map((row) => ({
      ...row,
      input_per_mtok: Number(row.input_per_mtok),
      output_per_mtok: Number(row.output_per_mtok),
      cached_input_per_mtok: Number(row.cached_input_per_mtok),
    })),
  };
}
