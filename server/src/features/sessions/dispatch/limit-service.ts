import type { Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { dayOf, startOf } from '../../../lib/days.ts';
import { AppError } from '../../../lib/errors.ts';
import { toMillionth } from '../../../lib/rounded.ts';
import { limitedDays, type RepositoryDay } from '../../guardrails/public.ts';
import { settingsOf, type Setting } from '../../settings/service.ts';
import { lockBudgets, readSpent } from '../store/limit-store.ts';
import type { Reached } from '../store/model-store.ts';

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
 * until the transaction ends, so lock the session first. `costUsd` is the session's own. A budget that only warns counts only
 * what is spent.
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
  if (hard && isLimited(budgets)) await lockBudgets(trx, session.orgId);
  const soft: PeriodLimit[] =
    perSession === null || hard
      ? []
      : [{ limit: 'organization_session_usd', used: costUsd, allowed: perSession, isHard: false }];
  return [
    ...days.map(limitOfDay),
    ...(await readBudgets(trx, session.orgId, budgets, now, { reserves: hard })),
    ...soft,
  ];
}

function isLimited({ per_day_usd: perDay, per_cycle_usd: perCycle }: Setting<'budgets'>): boolean {
  return perDay !== null || perCycle !== null;
}

function limitOfDay(day: RepositoryDay): PeriodLimit {
  return { limit: 'repository_day_usd', used: day.used, allowed: day.allowed, isHard: true, day };
}

/** Returns the budgets of the organization with what is spent and, with `reserves`, with what running calls reserve. */
async function readBudgets(
  trx: Transaction<DB>,
  orgId: string,
  budgets: Setting<'budgets'>,
  now: Date,
  { reserves }: { reserves: boolean },
): Promise<PeriodLimit[]> {
  if (!isLimited(budgets)) return [];
  const { per_day_usd: perDay, per_cycle_usd: perCycle, hard: isHard } = budgets;
  const day = dayOf(now);
  const spent = await readSpent(trx, orgId, { day, cycleStart: startOf('month', day) });
  const reserved = reserves ? spent.reserved : 0;
  const limits: PeriodLimit[] = [];
  if (perDay !== null)
    limits.push({ limit: 'organization_day_usd', used: spent.day + reserved, allowed: perDay, isHard });
  if (perCycle !== null)
    limits.push({ limit: 'organization_cycle_usd', used: spent.cycle + reserved, allowed: perCycle, isHard });
  return limits;
}

/**
 * Returns a hard budget of the organization that is spent, so that no session can begin; undefined for none. What running
 * calls reserve does not count, because most of it comes back.
 */
export async function findSpentBudget(
  trx: Transaction<DB>,
  orgId: string,
  now: Date,
  known?: Setting<'budgets'>,
): Promise<PeriodLimit | undefined> {
  const budgets = known ?? (await settingsOf(trx, orgId, 'budgets'));
  if (!budgets.hard) return undefined;
  const limits = await readBudgets(trx, orgId, budgets, now, { reserves: false });
  return limits.find(({ used, allowed }) => used >= allowed);
}

/** Rejects a new session if a budget of the organization is spent. Throws 402 `budget_exceeded`. */
export async function requireBudget(
  trx: Transaction<DB>,
  orgId: string,
  now: Date,
  budgets: Setting<'budgets'>,
): Promise<void> {
  const spent = await findSpentBudget(trx, orgId, now, budgets);
  if (spent !== undefined) throw exceeded(spent);
}

/** Rejects a session whose reached limit of a period still holds. Throws 402 `budget_exceeded`. */
export async function requirePeriodRaised(
  trx: Transaction<DB>,
  session: LimitedSession,
  reached: Pick<Reached, 'limit' | 'allowed' | 'at'>,
  now: Date,
): Promise<void> {
  if (!isPeriod(reached.limit)) return;
  const budgets = await settingsOf(trx, session.orgId, 'budgets');
  const days = await limitedDays(trx, session, now, { locks: false });
  const limits = [
    ...days.map(limitOfDay),
    ...(await readBudgets(trx, session.orgId, budgets, now, { reserves: true })),
  ];
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

function exceeded(limit: PeriodLimit): AppError {
  const { limit: name, used, allowed } = limit;
  return new AppError('budget_exceeded', explainLimit(limit), { limit: name, used: toMillionth(used), allowed });
}
