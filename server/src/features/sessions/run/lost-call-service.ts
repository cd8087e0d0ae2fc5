import type { Context } from '../../../app/context.ts';
import { decimalUsd } from '../../../lib/rounded.ts';
import { sumSpentDays } from '../store/limit-store.ts';
import { lockLostCalls } from '../store/lost-call-store.ts';
import { settleSpending } from '../store/model-store.ts';

const batch = 100;
const summedAtOnce = 10_000;

/**
 * Counts model calls whose process was lost before it settled them: the most that each can have used, because what it used
 * is unknown. That releases their reservations. Returns their number.
 */
export async function settleLostCalls(ctx: Pick<Context, 'db'>): Promise<number> {
  for (let sum = 0; ;) {
    const count = await ctx.db.transaction(async (trx) => {
      const calls = await lockLostCalls(trx, batch);
      for (const { id, sessionId, account, model, inputTokens, outputTokens, costUsd } of calls)
        await settleSpending(trx, sessionId, {
          id,
          account,
          model,
          inputTokens,
          outputTokens,
          cachedInputTokens: 0,
          cacheWriteTokens: 0,
          costUsd: decimalUsd(costUsd),
          priceSource: 'reserved',
          reserved: { tokens: inputTokens + outputTokens, costUsd },
        });
      return calls.length;
    });
    sum += count;
    if (count < batch) return sum;
  }
}

/** Sums what was spent to a row per day, so that reading it stays fast. */
export async function sumSpent(ctx: Pick<Context, 'db'>): Promise<void> {
  while ((await sumSpentDays(ctx.db.kysely, summedAtOnce)) === summedAtOnce);
}
