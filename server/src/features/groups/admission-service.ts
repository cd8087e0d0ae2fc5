import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { localDay, nextMidnight } from '../../lib/time-zone.ts';
import {
  beginDays,
  countComing,
  holdSandboxTime,
  reserveSession,
  lockDays,
  lockOpenDays,
  readAccounts,
  readCounted,
  readGroupsOf,
  readQueuesInUse,
  readSandboxTime,
  type Account,
} from './admission-store.ts';

export type { Account };

/** A session to dispatch, locked by the caller's transaction. */
export interface Candidate {
  id: string;
  orgId: string;
  /** The user it counts for; `''` for other principals. */
  personId: string;
  /** The queue it waited in; `''` if it did not wait. */
  waitsFor: string;
}

export type Admission =
  /** `inGroups` tells if groups count it. */
  | { outcome: 'admitted'; inGroups: boolean }
  /** The queue is checked again at `wakeAt`; undefined keeps the current time. */
  | { outcome: 'waits'; queue: string; wakeAt: Date | undefined }
  | { outcome: 'refused'; message: string };

const limits = ['sessions', 'tokens', 'cost_usd', 'sandbox_minutes'] as const;

/** A limit that is exhausted. */
export interface Exceeded {
  account: Account;
  limit: (typeof limits)[number];
  used: number;
  allowed: number;
}

/** Sandbox time is reserved ahead of its use, in slices of this length. */
const sliceSeconds = 30;
/** A queue is checked again after this time even without a wakeup. */
export const recheckMs = 5 * 60_000;

/**
 * Admits a session to the current day of each group of its user, or returns the limit it waits for. A session counts once on
 * each day on which it is dispatched. New sessions queue behind waiting ones.
 */
export async function admitToGroups(trx: Transaction<DB>, session: Candidate, now: Date): Promise<Admission> {
  const groups = session.personId === '' ? [] : await readGroupsOf(trx, session.orgId, session.personId);
  if (groups.length === 0) return { outcome: 'admitted', inGroups: false };
  const days = groups.map(({ id, timezone }) => ({ groupId: id, day: localDay(now, timezone) }));
  await beginDays(trx, days);
  const accounts = await lockDays(trx, days);
  const counted = await readCounted(trx, session.id, days);
  const blocking = new Set(groups.filter(({ on_exceed }) => on_exceed === 'block').map(({ id }) => id));
  const exceeded = accounts.flatMap((account) => exceededIn(account, { counts: !counted.has(account.groupId) }) ?? []);
  const blocked = exceeded.find(({ account }) => blocking.has(account.groupId));
  if (blocked !== undefined) return { outcome: 'refused', message: explain(blocked, now) };
  const [first] = exceeded;
  if (first !== undefined)
    return { outcome: 'waits', queue: first.account.groupId, wakeAt: wakeTime(first.account, now) };
  if (session.waitsFor === '') {
    const [queue] = await readQueuesInUse(
      trx,
      accounts.map(({ groupId }) => groupId),
    );
    if (queue !== undefined) return { outcome: 'waits', queue, wakeAt: undefined };
  }
  const left = accounts.map(({ max, held }) => (max.sandbox_seconds ?? Infinity) - held.sandbox_seconds);
  await reserveSession(trx, session.id, accounts, Math.min(sliceSeconds, ...left));
  return { outcome: 'admitted', inGroups: true };
}

/**
 * Rejects a session that its groups do not allow: 402 `budget_exceeded` if a blocking group's day is used up. A new session also
 * needs room beside the group's sessions that are not dispatched yet.
 */
export async function requireAdmission(
  trx: Transaction<DB>,
  session: Omit<Candidate, 'waitsFor'>,
  now: Date,
  { isNew }: { isNew: boolean },
): Promise<void> {
  const groups = await readGroupsOf(trx, session.orgId, session.personId);
  const days = groups
    .filter(({ on_exceed }) => on_exceed === 'block')
    .map(({ id, timezone }) => ({ groupId: id, day: localDay(now, timezone) }));
  await beginDays(trx, days);
  const accounts = await lockDays(trx, days);
  const counted = await readCounted(trx, session.id, days);
  for (const account of accounts) {
    const counts = !counted.has(account.groupId);
    const coming = isNew && account.max.sessions !== null ? await countComing(trx, account, session.id) : 0;
    const exceeded = exceededIn(account, { counts, coming });
    if (exceeded !== undefined) throw refusal(exceeded, now);
  }
}

/** A limit that suspended a session: `group_` and the limit of a group's day. */
interface ReachedDay {
  group_id: string;
  limit: string;
  allowed: number;
  at: Date;
}

/**
 * Rejects a session that the limit of a group's day suspended, while that day lasts and the limit was not raised. If the day
 * is used up and the group queues, the session waits instead. Throws 402 `budget_exceeded`.
 */
export async function requireDayRaised(
  trx: Transaction<DB>,
  { orgId, personId }: Pick<Candidate, 'orgId' | 'personId'>,
  reached: ReachedDay,
  now: Date,
): Promise<void> {
  const limit = limits.find((name) => reached.limit === `group_${name}`);
  if (limit === undefined) return;
  const group = (await readGroupsOf(trx, orgId, personId)).find(({ id }) => id === reached.group_id);
  if (group === undefined) return;
  const day = localDay(now, group.timezone);
  if (day !== localDay(reached.at, group.timezone)) return;
  // Not locked: `requireAdmission` locks the days of all groups in their order.
  const [account] = await readAccounts(trx, [{ groupId: group.id, day }]);
  if (account === undefined) return;
  const { used, allowed } = amountOf(account, limit);
  const waits = group.on_exceed === 'queue' && used >= allowed;
  if (allowed > reached.allowed || waits) return;
  throw refusal({ account, limit, used, allowed }, now);
}

/** Returns the queues among these in which sessions wait. */
export async function queuesInUse(trx: Transaction<DB>, queues: readonly string[]): Promise<string[]> {
  return readQueuesInUse(trx, queues);
}

/** Sandbox time of a running session; undefined if no group of its user limits it. */
export interface SandboxTime {
  /** Reserved and not used yet; 0 or less if it must stop. */
  leftSeconds: number;
  /** The exhausted group, if the session must stop. */
  exceeded: Exceeded | undefined;
}

/** Reserves sandbox time for a session's next step, as far as its groups have some. */
export async function extendSandboxTime(trx: Transaction<DB>, sessionId: string): Promise<SandboxTime | undefined> {
  const accounts = (await lockOpenDays(trx, sessionId)).filter(({ max }) => max.sandbox_seconds !== null);
  if (accounts.length === 0) return undefined;
  const times = new Map((await readSandboxTime(trx, sessionId)).map((time) => [time.groupId, time]));
  const answers: SandboxTime[] = [];
  for (const account of accounts) {
    const { reserved = 0, spent = 0 } = times.get(account.groupId) ?? {};
    const allowed = account.max.sandbox_seconds ?? Infinity;
    const more = Math.max(0, Math.min(spent + sliceSeconds - reserved, allowed - account.held.sandbox_seconds));
    if (more > 0) await holdSandboxTime(trx, sessionId, account, more);
    const leftSeconds = reserved + more - spent;
    const used = account.held.sandbox_seconds / 60;
    const exceeded = { account, limit: 'sandbox_minutes', used, allowed: allowed / 60 } as const;
    answers.push({ leftSeconds, exceeded: leftSeconds > 0 ? undefined : exceeded });
  }
  return answers.reduce((tightest, answer) => (answer.leftSeconds < tightest.leftSeconds ? answer : tightest));
}

/** Explains an exhausted limit of a group to a user. */
export function explain({ account, limit, used, allowed }: Exceeded, now: Date): string {
  const { name, day, timezone } = account;
  const midnight = nextMidnight(now, timezone).toISOString();
  const amount = `${Number(used.toFixed(6))} of ${allowed} ${limit}`;
  return (
    `Limit reached: the group ${JSON.stringify(name)} has used or reserved ${amount} of ${day}. Its next day starts ` +
    `at ${midnight} (${timezone}).`
  );
}

function refusal(exceeded: Exceeded, now: Date): AppError {
  const { account, limit, used, allowed } = exceeded;
  return new AppError('budget_exceeded', explain(exceeded, now), { group_id: account.groupId, limit, used, allowed });
}

function exceededIn(account: Account, session: { counts: boolean; coming?: number }): Exceeded | undefined {
  for (const limit of limits) {
    if (limit === 'sessions' && !session.counts) continue;
    const { used, allowed } = amountOf(account, limit);
    const all = used + (limit === 'sessions' ? (session.coming ?? 0) : 0);
    if (all >= allowed) return { account, limit, used: all, allowed };
  }
  return undefined;
}

/** Returns how much of a limit is used and reserved, and its value; `Infinity` for none. */
function amountOf({ max, held }: Account, limit: Exceeded['limit']): { used: number; allowed: number } {
  if (limit === 'sandbox_minutes')
    return { used: held.sandbox_seconds / 60, allowed: (max.sandbox_seconds ?? Infinity) / 60 };
  return { used: held[limit], allowed: max[limit] ?? Infinity };
}

function wakeTime({ timezone }: Account, now: Date): Date {
  return new Date(Math.min(nextMidnight(now, timezone).getTime(), now.getTime() + recheckMs));
}
