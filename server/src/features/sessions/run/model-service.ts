import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { toMillionth } from '../../../lib/rounded.ts';
import { holdGroupCall, lockCallAccounts, settleGroupCall } from '../../groups/call-service.ts';
import { decideCall, type CallDecision, type CallRequest, type ReservedCall } from './budget.ts';
import {
  addReserved,
  lockSpending,
  readSpending,
  releaseSpending,
  reserveSpending,
  settleSpending,
} from '../store/model-store.ts';
import type { Run } from './run-service.ts';

type ModelContext = Pick<Context, 'db'>;

/** What a model call used. `inputTokens` include the cached ones. */
export interface CallUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  costUsd: number;
}

/** Decides on a model call before it is made, and reserves what it may use at most. Exact also for calls at once. */
export async function reserveCall(ctx: ModelContext, run: Run, call: CallRequest): Promise<CallDecision> {
  for (;;) {
    // Another call of the same session may reserve in between; then this one is decided anew.
    const seen = await readSpending(ctx.db, run.id, run.fence);
    if (seen === undefined) return { outcome: 'lease_lost' };
    if (seen.in_groups) return reserveInGroups(ctx, run, call);
    const decision = decideCall(seen, call);
    if (decision.outcome !== 'reserved' || decision.maxOutputTokens === Infinity) return decision;
    if (await reserveSpending(ctx.db, run, seen, decision.reserved)) return decision;
  }
}

/** The same for a session that groups count: one call of a group is decided on at a time. */
async function reserveInGroups(ctx: ModelContext, run: Run, call: CallRequest): Promise<CallDecision> {
  return ctx.db.transaction(async (trx) => {
    const seen = await lockSpending(trx, run.id, run.fence);
    if (seen === undefined) return { outcome: 'lease_lost' };
    const accounts = await lockCallAccounts(trx, run.id);
    const decision = decideCall(seen, call, accounts);
    if (decision.outcome !== 'reserved') return decision;
    const { reserved } = decision;
    if (reserved.tokens > 0) await addReserved(trx, run.id, reserved);
    return { ...decision, groups: await holdGroupCall(trx, run.id, accounts, reserved) };
  });
}

/** Counts what a call used, with its event, and gives its reservation back. */
export async function settleCall(
  ctx: ModelContext,
  run: Run,
  { reserved, groups }: ReservedCall,
  counted: CallUsage & { model: string },
): Promise<void> {
  // In whole millionths, so that the calls of a session add up to what it and its groups are said to have used.
  const used = { ...counted, costUsd: toMillionth(counted.costUsd) };
  if (groups === undefined) return settle(ctx.db, run, reserved, used);
  await ctx.db.transaction(async (trx) => {
    await settle(trx, run, reserved, used);
    await settleGroupCall(trx, groups, { tokens: used.inputTokens + used.outputTokens, costUsd: used.costUsd });
  });
}

async function settle(
  db: Database | Transaction<DB>,
  run: Run,
  reserved: ReservedCall['reserved'],
  used: CallUsage & { model: string },
): Promise<void> {
  if (used.inputTokens > 0 || used.outputTokens > 0) await settleSpending(db, run.id, { ...used, reserved });
  else if (reserved.tokens > 0) await releaseSpending(db, run.id, reserved);
}
