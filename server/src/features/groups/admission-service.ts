import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { localDay, nextMidnight } from '../../lib/time-zone.ts';
import {
  beginDays,
  countComing,
  holdSandboxTime,
  holdSession,
  lockDays,
  lockOpenDays,
  readCounted,
  readGroupsOf,
  readLinesInUse,
  readSandboxTime,
  type Account,
} from './admission-store.ts';

export type { Account };

/** A session that is to be dispatched, locked by the caller's transaction. */
export interface Candidate {
  id: string;
  orgId: string;
  /** The person it counts for; `''` for a machine's. */
  personId: string;
  /** The line it waited in; `''` when it did not wait. */
  waitsFor: string;
}

export type Admission =
  /** `inGroups` says whether groups count it. */
  | { outcome: 'admitted'; inGroups: boolean }
  /** The line is looked at again at `wakeAt`; undefined leaves that as it is. */
  | { outcome: 'waits'; line: string; wakeAt: Date | undefined }
  | { outcome: 'refused'; message: string };

/** A limit that leaves no room. */
export interface Exceeded {
  account: Account;
  limit: 'sessions' | 'tokens' | 'cost_usd' | 'sandbox_minutes';
  used: number;
  allowed: number;
}

/** Sandbox time is held in slices of this length, ahead of what is used. */
const sliceSeconds = 30;
/** A line is looked at again after this long, whatever woke nobody. */
export const relookMs = 5 * 60_000;

/**
 * Admits a session to the day of each group of its person, or says why not. A session counts once on each day on which it
 * is dispatched. Whoever comes anew waits behind those who wait already.
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
    return { outcome: 'waits', line: first.account.groupId, wakeAt: wakeTime(first.account, now) };
  if (session.waitsFor === '') {
    const [line] = await readLinesInUse(
      trx,
      accounts.map(({ groupId }) => groupId),
    );
    if (line !== undefined) return { outcome: 'waits', line, wakeAt: undefined };
  }
  const left = accounts.map(({ max, held }) => (max.sandbox_seconds ?? Infinity) - held.sandbox_seconds);
  await holdSession(trx, session.id, accounts, Math.min(sliceSeconds, ...left));
  return { outcome: 'admitted', inGroups: true };
}

/**
 * Refuses what a group would not let begin: 402 `budget_exceeded` when one that blocks has used its day up. A new session
 * also needs room beside those of the group that are still to be dispatched.
 */
export async function requireRoom(
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
    if (exceeded === undefined) continue;
    const { limit, used, allowed } = exceeded;
    throw new AppError('budget_exceeded', explain(exceeded, now), { group_id: account.groupId, limit, used, allowed });
  }
}

/** Which of these lines have sessions that wait in them. */
export async function linesInUse(trx: Transaction<DB>, lines: readonly string[]): Promise<string[]> {
  return readLinesInUse(trx, lines);
}

/** Sandbox time of a session that runs; undefined when no group of its limits that. */
export interface SandboxTime {
  /** Held for it and not used yet; not above 0 when it has to stop. */
  leftSeconds: number;
  /** Which group has no more, when it has to stop. */
  exceeded: Exceeded | undefined;
}

/** Holds sandbox time for what a session does next, as far as its groups have some. */
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

/** What a person reads about a limit of a group that was reached. */
export function explain({ account, limit, used, allowed }: Exceeded, now: Date): string {
  const { name, day, timezone } = account;
  const midnight = nextMidnight(now, timezone).toISOString();
  const amount = `${Number(used.toFixed(6))} of ${allowed} ${limit}`;
  return `The group ${JSON.stringify(name)} has used or reserved ${amount} of ${day}. Its next day begins at ${midnight} (${timezone}).`;
}

function exceededIn(account: Account, session: { counts: boolean; coming?: number }): Exceeded | undefined {
  const { max, held } = account;
  const sessions = held.sessions + (session.coming ?? 0);
  if (session.counts && max.sessions !== null && sessions >= max.sessions)
    return { account, limit: 'sessions', used: sessions, allowed: max.sessions };
  if (max.tokens !== null && held.tokens >= max.tokens)
    return { account, limit: 'tokens', used: held.tokens, allowed: max.tokens };
  if (max.cost_usd !== null && held.cost_usd >= max.cost_usd)
    return { account, limit: 'cost_usd', used: held.cost_usd, allowed: max.cost_usd };
  if (max.sandbox_seconds !== null && held.sandbox_seconds >= max.sandbox_seconds)
    return { account, limit: 'sandbox_minutes', used: held.sandbox_seconds / 60, allowed: max.sandbox_seconds / 60 };
  return undefined;
}

function wakeTime({ timezone }: Account, now: Date): Date {
  return new Date(Math.min(nextMidnight(now, timezone).getTime(), now.getTime() + relookMs));
}
