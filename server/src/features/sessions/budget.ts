import type { Setting } from '../settings/service.ts';
import type { Spending } from './model-store.ts';
import type { Budget } from './schemas.ts';

/** A session's budget as the organization's settings allow it: with their minutes where it has none, or more. */
export function budgetWithin({ max_minutes: most }: Setting<'sessions'>, budget: Budget): Budget {
  return most === 0 ? budget : { ...budget, max_minutes: Math.min(budget.max_minutes ?? most, most) };
}

/** A model call that is to be made. */
export interface CallRequest {
  /** Estimated from its size, rather too many than too few. */
  inputTokens: number;
  /** The most it may answer; undefined when it does not say. */
  maxOutputTokens: number | undefined;
  /** In US dollars per token; undefined when nobody knows. */
  price: { input: number; output: number } | undefined;
}

/** A call that may be made. */
export interface ReservedCall {
  outcome: 'reserved';
  /** `Infinity` when no budget limits it. */
  maxOutputTokens: number;
  reserved: { tokens: number; costUsd: number };
}

export type CallDecision =
  | ReservedCall
  | { outcome: 'lease_lost' }
  /** `used` counts what calls under way have reserved. */
  | { outcome: 'budget'; limit: 'max_tokens' | 'max_cost_usd'; used: number; allowed: number }
  /** A cost budget cannot be held for a model whose price nobody knows. */
  | { outcome: 'no_price' };

/** What a call that names no limit of its own may answer under a budget. */
const usualOutputTokens = 32_000;
/** An answer shorter than this is worth nothing: the budget is used up. */
const leastOutputTokens = 64;

/** Whether the budget has room for a call, and for how long an answer. Without limits of tokens or cost there is no reservation. */
export function decideCall(spending: Spending, call: CallRequest): CallDecision {
  const { max_tokens: maxTokens, max_cost_usd: maxCost } = spending.budget;
  if (maxTokens === undefined && maxCost === undefined)
    return { outcome: 'reserved', maxOutputTokens: Infinity, reserved: { tokens: 0, costUsd: 0 } };
  if (maxCost !== undefined && call.price === undefined) return { outcome: 'no_price' };
  const price = call.price ?? { input: 0, output: 0 };
  const tokens = spending.tokens + spending.reserved_tokens;
  const cost = spending.cost_usd + spending.reserved_cost_usd;
  const wanted = call.maxOutputTokens ?? usualOutputTokens;
  const least = Math.min(wanted, leastOutputTokens);

  const byTokens = (maxTokens ?? Infinity) - tokens - call.inputTokens;
  if (byTokens < least) return { outcome: 'budget', limit: 'max_tokens', used: tokens, allowed: maxTokens ?? Infinity };
  const costLeft = (maxCost ?? Infinity) - cost - call.inputTokens * price.input;
  const byCost = price.output === 0 ? (costLeft < 0 ? 0 : Infinity) : Math.floor(costLeft / price.output);
  if (byCost < least) return { outcome: 'budget', limit: 'max_cost_usd', used: cost, allowed: maxCost ?? Infinity };

  const maxOutputTokens = Math.min(wanted, byTokens, byCost);
  const reserved = {
    tokens: call.inputTokens + maxOutputTokens,
    costUsd: call.inputTokens * price.input + maxOutputTokens * price.output,
  };
  return { outcome: 'reserved', maxOutputTokens, reserved };
}
