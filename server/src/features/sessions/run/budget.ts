import { AppError } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import type { Account } from '../../groups/admission-service.ts';
import type { GroupReservation } from '../../groups/call-service.ts';
import type { Setting } from '../../settings/service.ts';
import type { ParentSpending } from '../store/child-store.ts';
import type { Spending } from '../store/model-store.ts';
import type { PeriodLimit } from '../dispatch/limit-service.ts';
import type { Budget } from '../schemas/session-schemas.ts';

/** A session's cost limit must be positive. */
const leastCostUsd = 1e-6;

/** Applies the organization's settings to a budget: their minutes and their cost are the default and the maximum. */
export function budgetWithin(
  { sessions, budgets }: { sessions: Setting<'sessions'>; budgets: Setting<'budgets'> },
  budget: Budget,
): Budget {
  const minutes = sessions.max_minutes === 0 ? Infinity : sessions.max_minutes;
  const cost = budgets.hard ? Math.max(budgets.per_session_usd ?? Infinity, leastCostUsd) : Infinity;
  return {
    ...budget,
    ...(minutes === Infinity ? {} : { max_minutes: Math.min(budget.max_minutes ?? minutes, minutes) }),
    ...(cost === Infinity ? {} : { max_cost_usd: Math.min(budget.max_cost_usd ?? cost, cost) }),
  };
}

/**
 * Returns the budget of a child from the rest of its parent's: half of it by default. Minutes and turns run in parallel
 * to the parent's, so the child may have as many. Throws 402 `budget_exceeded`.
 */
export function childBudget(parent: ParentSpending, wanted: Budget): Budget {
  const { max_tokens: tokens, max_cost_usd: cost, max_minutes: minutes, max_turns: turns } = parent.budget;
  const tokensLeft = (tokens ?? Infinity) - parent.tokens - parent.reserved_tokens - parent.given_tokens;
  const costLeft = (cost ?? Infinity) - parent.cost_usd - parent.reserved_cost_usd - parent.given_cost_usd;
  const minutesLeft = (minutes ?? Infinity) - parent.sandbox_seconds / 60;
  const entries = [
    ['max_tokens', share('max_tokens', tokensLeft, wanted.max_tokens, Math.floor(tokensLeft / 2))],
    ['max_cost_usd', share('max_cost_usd', costLeft, wanted.max_cost_usd, costLeft / 2)],
    ['max_minutes', share('max_minutes', minutesLeft, wanted.max_minutes, minutesLeft)],
    ['max_turns', share('max_turns', turns ?? Infinity, wanted.max_turns, turns ?? Infinity)],
  ] as const;
  return Object.fromEntries(entries.filter(([, limit]) => limit !== Infinity));
}

function share(name: keyof Budget, left: number, wanted: number | undefined, usual: number): number {
  const limit = wanted ?? usual;
  if (limit <= left && limit > 0) return limit;
  const has = `the session has ${Math.max(0, left)} left`;
  if (wanted === undefined) throw new AppError('budget_exceeded', `${name}: ${has}.`);
  throw fieldError(`/budget/${name}`, `: ${has}.`, { code: 'budget_exceeded' });
}

/** A planned model call. */
export interface CallRequest {
  /** `<provider>/<name>`. */
  model?: string;
  /** Estimated from the size, rather too high than too low. */
  inputTokens: number;
  /** The requested maximum of output tokens; undefined if the request has none. */
  maxOutputTokens: number | undefined;
  /** In US dollars per token; undefined if unknown. */
  price: { input: number; output: number } | undefined;
}

/** A permitted call. */
export interface ReservedCall {
  outcome: 'reserved';
  /** `Infinity` without a budget. */
  maxOutputTokens: number;
  reserved: { tokens: number; costUsd: number };
  /** The reservations in groups; absent for a session outside of groups. */
  groups?: GroupReservation;
}

export type CallDecision =
  | ReservedCall
  | { outcome: 'lease_lost' }
  /**
   * `used` includes reservations of running calls and the budgets of children. `group` if the limit is a group's daily
   * limit, `period` if it is the organization's or a repository's.
   */
  | ({ outcome: 'budget'; limit: 'max_tokens' | 'max_cost_usd'; used: number; allowed: number } & Whose)
  /** A cost limit cannot be enforced for a model without a known price. */
  | { outcome: 'no_price' };

interface Whose {
  group?: Account;
  period?: PeriodLimit;
}

/** A limit of a call: the session's budget, a day of a group, or a period of the organization or a repository. */
interface Allowance {
  tokens: number;
  costUsd: number;
  maxTokens: number;
  maxCostUsd: number;
  whose: Whose;
}

/** The maximum output of a call without its own limit, under a budget. */
const usualOutputTokens = 32_000;
const free = { input: 0, output: 0 };
/** A shorter response is useless, so the budget counts as exhausted below this. */
const leastOutputTokens = 64;

/**
 * Decides if the session's budget, its groups and the limits of periods allow a call, and with how many output tokens. Without
 * any limit, what the call can use is reserved too, so that a lost one is recorded.
 */
export function decideCall(
  spending: Spending,
  call: CallRequest,
  { groups = [], periods = [] }: { groups?: readonly Account[]; periods?: readonly PeriodLimit[] } = {},
): CallDecision {
  const allowances = [
    sessionAllowance(spending),
    ...groups.map(groupAllowance),
    ...periods.map(periodAllowance),
  ].filter(({ maxTokens, maxCostUsd }) => maxTokens < Infinity || maxCostUsd < Infinity);
  let maxOutputTokens = call.maxOutputTokens ?? usualOutputTokens;
  if (allowances.length === 0)
    return { outcome: 'reserved', maxOutputTokens: Infinity, reserved: mostOf(call, maxOutputTokens) };
  if (call.price === undefined && allowances.some(({ maxCostUsd }) => maxCostUsd < Infinity))
    return { outcome: 'no_price' };
  const price = call.price ?? free;
  const least = Math.min(maxOutputTokens, leastOutputTokens);
  for (const { tokens, costUsd, maxTokens, maxCostUsd, whose } of allowances) {
    const byTokens = maxTokens - tokens - call.inputTokens;
    if (byTokens < least) return { outcome: 'budget', limit: 'max_tokens', used: tokens, allowed: maxTokens, ...whose };
    const costLeft = maxCostUsd - costUsd - call.inputTokens * price.input;
    const byCost = price.output === 0 ? (costLeft < 0 ? 0 : Infinity) : Math.floor(costLeft / price.output);
    if (byCost < least)
      return { outcome: 'budget', limit: 'max_cost_usd', used: costUsd, allowed: maxCostUsd, ...whose };
    maxOutputTokens = Math.min(maxOutputTokens, byTokens, byCost);
  }
  return { outcome: 'reserved', maxOutputTokens, reserved: mostOf(call, maxOutputTokens) };
}

/** Returns the most that a call can use. */
function mostOf({ inputTokens, price = free }: CallRequest, outputTokens: number): ReservedCall['reserved'] {
  return { tokens: inputTokens + outputTokens, costUsd: inputTokens * price.input + outputTokens * price.output };
}

function sessionAllowance({ budget, ...spent }: Spending): Allowance {
  return {
    tokens: spent.tokens + spent.reserved_tokens + spent.given_tokens,
    costUsd: spent.cost_usd + spent.reserved_cost_usd + spent.given_cost_usd,
    maxTokens: budget.max_tokens ?? Infinity,
    maxCostUsd: budget.max_cost_usd ?? Infinity,
    whose: {},
  };
}

function groupAllowance(group: Account): Allowance {
  const { held, max } = group;
  return {
    tokens: held.tokens,
    costUsd: held.cost_usd,
    maxTokens: max.tokens ?? Infinity,
    maxCostUsd: max.cost_usd ?? Infinity,
    whose: { group },
  };
}

function periodAllowance(period: PeriodLimit): Allowance {
  const { used, allowed } = period;
  return { tokens: 0, costUsd: used, maxTokens: Infinity, maxCostUsd: allowed, whose: { period } };
}
