import type { Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { dayOf, startOf } from '../../../lib/days.ts';
import { AppError } from '../../../lib/errors.ts';
import { toMillionth } from '../../../lib/rounded.ts';
import { limitedDays, type RepositoryDay } from '../../guardrails/public.ts';
import { settingsOf, type Setting } from '../../settings/service.ts';
import { lockBudgets, readCommitted, readSpent } from '../store/limit-store.ts';

/** A limit on the cost of sessions, with its current value in US dollars, what running calls reserve included. */
export interface PeriodLimit {
  limit: 'organization_day_usd' | 'organization_cycle_usd' | 'organization_session_usd' | 'repository_day_usd';
  used: number;
  allowed: number;
  /** False if it only warns. */
  isHard: boolean;
  /** Of a repository's guardrail. */
  day?: RepositoryDay;
}

interface LimitedSession {
  id: string;
  orgId: string;
}

/**
 * Returns the limits of the organization and of a session's repositories on its next model call. Decisions on them are serialized
 * until the transaction ends, so lock the session first. `costUsd` is the session's own.
 */
export async function lockLimits(
  trx: Transaction<DB>,
  session: LimitedSession,
  now: Date,
  { costUsd }: { costUsd: number },
): Promise<PeriodLimit[]> {
  const days = await limitedDays(trx, session, now, { locks: true });
  const budgets = await settingsOf(trx, session.orgId, 'budgets');
  const { per_session_usd: perSession, hard } = budgets;
  if (isLimited(budgets)) await lockBudgets(trx, session.orgId);
  const soft: PeriodLimit[] =
    perSession === null || hard
      ? []
      : [{ limit: 'organization_session_usd', used: costUsd, allowed: perSession, isHard: false }];
  return [...days.map(limitOfDay), ...(await readBudgets(trx, session.orgId, budgets, now)), ...soft];
}

function isLimited({ per_day_usd: perDay, per_cycle_usd: perCycle }: Setting<'budgets'>): boolean {
  return perDay !== null || perCycle !== null;
}

function limitOfDay(day: RepositoryDay): PeriodLimit {
  return { limit: 'repository_day_usd', used: day.used, allowed: day.allowed, isHard: true, day };
}

/** `held` is reserved or promised beside what is spent; by default, what running model calls reserve. */
async function readBudgets(
  trx: Transaction<DB>,
  orgId: string,
  budgets: Setting<'budgets'>,
  now: Date,
  held?: number,
): Promise<PeriodLimit[]> {
  if (!isLimited(budgets)) return [];
  const { per_day_usd: perDay, per_cycle_usd: perCycle, hard: isHard } = budgets;
  const day = dayOf(now);
  const spent = await readSpent(trx, orgId, { day, cycleStart: startOf('month', day) });
  const more = Math.max(spent.reserved, held ?? 0);
  const limits: PeriodLimit[] = [];
  if (perDay !== null) limits.push({ limit: 'organization_day_usd', used: spent.day + more, allowed: perDay, isHard });
  if (perCycle !== null)
    limits.push({ limit: 'organization_cycle_usd', used: spent.cycle + more, allowed: perCycle, isHard });
  return limits;
}

/**
 * Admits a new session under the organization's budgets: with the rest of the budgets of all queued and running sessions, its own
 * must fit. Concurrent creations are serialized. Throws 402 `budget_exceeded`.
 */
export async function requireBudget(
  trx: Transaction<DB>,
  { id, orgId, maxCostUsd = 0 }: LimitedSession & { maxCostUsd: number | undefined },
  now: Date,
): Promise<void> {
  const budgets = await settingsOf(trx, orgId, 'budgets');
  if (!budgets.hard || !isLimited(budgets)) return;
  await lockBudgets(trx, orgId);
  const limits = await readBudgets(trx, orgId, budgets, now, await readCommitted(trx, orgId, id));
  const full = limits.find(({ used, allowed }) => used >= allowed || used + maxCostUsd > allowed + tolerance);
  if (full === undefined) return;
  const tooMuch =
    full.used < full.allowed
      ? ` The budget of this session, ${maxCostUsd} USD, does not fit: lower its max_cost_usd.`
      : '';
  throw exceeded(full, tooMuch);
}

/** The limit at which a session was suspended. */
export interface Reached {
  limit: string;
  allowed: number;
  at: Date;
}

/** Rejects a session whose reached limit of a period still holds. Throws 402 `budget_exceeded`. */
export async function requirePeriodRaised(
  trx: Transaction<DB>,
  session: LimitedSession,
  reached: Reached,
  now: Date,
): Promise<void> {
  if (!isPeriod(reached.limit)) return;
  const budgets = await settingsOf(trx, session.orgId, 'budgets');
  const days = await limitedDays(trx, session, now, { locks: false });
  const limits = [...days.map(limitOfDay), ...(await readBudgets(trx, session.orgId, budgets, now))];
  const interval = reached.limit === 'organization_cycle_usd' ? 'month' : 'day';
  if (startOf(interval, dayOf(reached.at)) !== startOf(interval, dayOf(now))) return;
  const held = limits.find(
    ({ limit, used, allowed, isHard }) =>
      limit === reached.limit &&
      isHard &&
      (allowed === reached.allowed || (allowed < reached.allowed && used >= allowed)),
  );
  if (held !== undefined) throw exceeded(held);
}

function isPeriod(limit: string): limit is PeriodLimit['limit'] {
  return Object.hasOwn(limitTexts, limit);
}

/** Sums of costs are rounded. */
const tolerance = 1e-9;

const limitTexts: Record<PeriodLimit['limit'], { what: string; until: string }> = {
  organization_day_usd: {
    what: 'of the budget of the organization for today (UTC)',
    until: 'Raise `per_day_usd` in the settings `budgets`, or wait until midnight UTC.',
  },
  organization_cycle_usd: {
    what: 'of the budget of the organization for this billing cycle (the month in UTC)',
    until: 'Raise `per_cycle_usd` in the settings `budgets`, or wait until the next cycle.',
  },
  organization_session_usd: {
    what: 'of the budget of a session in this organization',
    until: 'The budgets are not hard, so the session continues.',
  },
  repository_day_usd: {
    what: 'of the cost of the repository for today (UTC)',
    until: 'Raise `max_cost_per_day_usd` in its guardrails, or wait until midnight UTC.',
  },
};

/** Explains a limit that is reached to a user. */
export function explainLimit({ limit, used, allowed }: Pick<PeriodLimit, 'limit' | 'used' | 'allowed'>): string {
  const { what, until } = limitTexts[limit];
  return `Limit reached: ${toMillionth(used)} of ${allowed} USD ${what} are used or reserved. ${until}`;
}

function exceeded(limit: PeriodLimit, more = ''): AppError {
  const { limit: name, used, allowed } = limit;
  return new AppError('budget_exceeded', `${explainLimit(limit)}${more}`, {
    limit: name,
    used: toMillionth(used),
    allowed,
  });
}
