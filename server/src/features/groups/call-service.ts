import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { lockDays, lockOpenDays, type Account, type GroupDay } from './admission-store.ts';
import { deleteLostCalls, reserveCall, settleReservation } from './call-store.ts';
import { wakeQueue } from './store.ts';

/** A model call with reservations in groups. */
export interface GroupReservation {
  readonly id: string;
  readonly days: readonly GroupDay[];
}

/** Returns the days that a session's calls count on, locked until the transaction ends; lock the session first. */
export async function lockCallAccounts(trx: Transaction<DB>, sessionId: string): Promise<Account[]> {
  return lockOpenDays(trx, sessionId);
}

/** Reserves the maximum use of a call in every group of its session. */
export async function reserveGroupCall(
  trx: Transaction<DB>,
  sessionId: string,
  accounts: readonly Account[],
  most: { tokens: number; costUsd: number },
): Promise<GroupReservation> {
  const call = { id: randomUUID(), days: accounts.map(({ groupId, day }) => ({ groupId, day })) };
  if (most.tokens > 0) await reserveCall(trx, { id: call.id, sessionId, ...most }, call.days);
  return call;
}

/** Settles a call. If that frees capacity, wakes the sessions that wait for it. */
export async function settleGroupCall(
  trx: Transaction<DB>,
  call: GroupReservation,
  used: { tokens: number; costUsd: string },
): Promise<void> {
  await lockDays(trx, call.days);
  await settleReservation(trx, { id: call.id, ...used }, call.days);
  for (const account of await lockDays(trx, call.days)) if (hasRoom(account)) await wakeQueue(trx, account.groupId);
}

/** Purges calls that nobody will settle anymore. */
export async function reapLostCalls(ctx: Pick<Context, 'db'>): Promise<void> {
  await deleteLostCalls(ctx.db);
}

function hasRoom({ max, held }: Account): boolean {
  const limits = ['sessions', 'tokens', 'cost_usd', 'sandbox_seconds'] as const;
  return limits.every((limit) => held[limit] < (max[limit] ?? Infinity));
}
