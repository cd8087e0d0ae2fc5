import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import type { PriceSource } from '../../../lib/models.ts';
import { decimalUsd } from '../../../lib/rounded.ts';
import { reserveGroupCall, lockCallAccounts, settleGroupCall } from '../../groups/call-service.ts';
import { decideCall, type CallDecision, type CallRequest, type ReservedCall } from './budget.ts';
import {
  addReserved,
  isSettled,
  lockSpending,
  readSpending,
  releaseSpending,
  reserveSpending,
  settleSpending,
  type CallingSession,
  type Reservation,
  type UsageAccount,
} from '../store/model-store.ts';
import { lockLimits, type PeriodLimit } from '../dispatch/limit-service.ts';
import type { Run } from './run-service.ts';

type ModelContext = Pick<Context, 'db' | 'clock'>;

/** The usage of a model call. `inputTokens` include those read from and written to a cache. */
export interface CallUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  costUsd: number;
  priceSource: PriceSource;
}

/** A permitted call, and its account. */
export interface PermittedCall extends ReservedCall {
  /** Its id in the usage records. */
  id: string;
  account: UsageAccount;
  /** Limits that it may exceed, but must be warned of. */
  exceeded?: readonly PeriodLimit[];
}

type Decision = PermittedCall | Exclude<CallDecision, ReservedCall>;

/** Decides on a model call and reserves its maximum usage. Exact for concurrent calls, too. */
export async function reserveCall(ctx: ModelContext, run: Run, call: CallRequest): Promise<Decision> {
  for (;;) {
    // If another call of the same session reserves under its budget in between, this one is decided again.
    const seen = await readSpending(ctx.db, run.id, run.fence);
    if (seen === undefined) return { outcome: 'lease_lost' };
    if (seen.in_groups || seen.limited) return reserveLocked(ctx, run, call);
    const decision = decideCall(seen, call);
    if (decision.outcome !== 'reserved') return decision;
    const permitted = { ...decision, ...entryOf(run, seen) };
    const isLimited = decision.maxOutputTokens < Infinity;
    if (await reserveSpending(ctx.db, run, reservationOf(permitted, call), isLimited ? seen : undefined))
      return permitted;
  }
}

/**
 * Decides for a session that groups count, or whose organization or repositories have limits; calls under one limit are
 * serialized.
 */
async function reserveLocked(ctx: ModelContext, run: Run, call: CallRequest): Promise<Decision> {
  return ctx.db.transaction(async (trx) => {
    const seen = await lockSpending(trx, run.id, run.fence);
    if (seen === undefined) return { outcome: 'lease_lost' };
    const limits = seen.limited ? await lockLimits(trx, run, ctx.clock.now(), { costUsd: seen.cost_usd }) : [];
    const accounts = seen.in_groups ? await lockCallAccounts(trx, run.id) : [];
    const decision = decideCall(seen, call, { groups: accounts, periods: limits.filter(({ isHard }) => isHard) });
    if (decision.outcome !== 'reserved') return decision;
    const { reserved } = decision;
    const exceeded = limits.filter(({ used, allowed, isHard }) => !isHard && used >= allowed);
    const permitted = { ...decision, ...entryOf(run, seen), exceeded };
    await addReserved(trx, run, reservationOf(permitted, call));
    if (!seen.in_groups) return permitted;
    return { ...permitted, groups: await reserveGroupCall(trx, run.id, accounts, reserved) };
  });
}

function entryOf({ orgId }: Run, { principal_type: type, principal_id: id, origin, repository }: CallingSession) {
  return { id: newId('use'), account: { orgId, principal: { type, id }, origin, repository } };
}

function reservationOf(
  { id, account, reserved }: PermittedCall,
  { model = '', inputTokens }: CallRequest,
): Reservation {
  return {
    id,
    account,
    model,
    inputTokens,
    outputTokens: reserved.tokens - inputTokens,
    costUsd: reserved.costUsd,
  };
}

/** Counts the usage of a call, with its event, and releases its reservation. Idempotent. */
export async function settleCall(
  ctx: ModelContext,
  run: Run,
  call: PermittedCall,
  counted: CallUsage & { model: string },
): Promise<void> {
  // In whole millionths, so that the calls of a session add up exactly to its total and those of its groups.
  const used = { ...counted, costUsd: decimalUsd(counted.costUsd) };
  const { groups } = call;
  if (groups === undefined) return settle(ctx.db, run, call, used);
  await ctx.db.transaction(async (trx) => {
    if (await isSettled(trx, call.id)) return;
    await settle(trx, run, call, used);
    await settleGroupCall(trx, groups, { tokens: used.inputTokens + used.outputTokens, costUsd: used.costUsd });
  });
}

async function settle(
  db: Database | Transaction<DB>,
  run: Run,
  { id, account, reserved }: PermittedCall,
  used: Omit<CallUsage, 'costUsd'> & { model: string; costUsd: string },
): Promise<void> {
  if (used.inputTokens > 0 || used.outputTokens > 0)
    await settleSpending(db, run.id, { ...used, id, account, reserved });
  else await releaseSpending(db, run.id, { id, reserved });
}
