import type { Context } from '../../context.ts';
import { decideCall, type CallDecision, type CallRequest, type ReservedCall } from './budget.ts';
import { readSpending, releaseSpending, reserveSpending, settleSpending } from './model-store.ts';
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
    const decision = decideCall(seen, call);
    if (decision.outcome !== 'reserved' || decision.maxOutputTokens === Infinity) return decision;
    if (await reserveSpending(ctx.db, run, seen, decision.reserved)) return decision;
  }
}

/** Counts what a call used, with its event, and gives its reservation back. */
export async function settleCall(
  ctx: ModelContext,
  run: Run,
  { reserved }: ReservedCall,
  { model, ...usage }: CallUsage & { model: string },
): Promise<void> {
  if (usage.inputTokens > 0 || usage.outputTokens > 0)
    await settleSpending(ctx.db, run.id, { model, ...usage, reserved });
  else if (reserved.tokens > 0) await releaseSpending(ctx.db, run.id, reserved);
}
