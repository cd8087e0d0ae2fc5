import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { AuthenticatedCaller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { AppError } from '../../../lib/errors.ts';
import { createWakeup } from '../../../lib/wakeup.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { watchKey } from '../../auth/watch.ts';
import { watchAddress } from '../../ip-access-list/watch.ts';
import { handOut, type HandedOut } from './hand-out.ts';
import type { ClaimRun } from './schemas.ts';
import { dataOf, resourceOf } from './service.ts';
import { lockGoverning, lockRun, type LockedRun } from './store.ts';
import { findClaimable } from './turn-store.ts';

type ClaimContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl' | 'notifications' | 'closing' | 'log'>;

/** Rounds in which other claims were faster, before a claim waits. */
const mostRounds = 10;
/** Claims of an organization that wait in this process. */
const mostWaiting = 200;
/** The polling interval, for a notification that was lost. */
const lookEveryMs = 5_000;
/** Spreads claims that were woken together. */
const spreadMs = 50;

/** Another claim was faster. */
class Taken extends Error {}

type Claim = (caller: AuthenticatedCaller, input: ClaimRun, gone: AbortSignal) => Promise<HandedOut | undefined>;

/**
 * Creates the operation that gives a caller the oldest run that may start. It waits for one without holding a database
 * connection; undefined if there was none in time. Throws 401 `key_revoked` and 403 `ip_not_allowed` if the caller loses
 * its access meanwhile, and 503 `capacity_unavailable` if too many claims wait.
 */
export function createClaims(ctx: ClaimContext): Claim {
  const waiting = new Map<string, number>();
  return async (caller, { wait_seconds: waitSeconds = 0, automation_ids: automationIds = [] }, gone) => {
    const first = await tryClaim(ctx, caller, automationIds);
    if (first !== undefined || waitSeconds === 0) return first;
    const orgId = caller.organization.id;
    const others = waiting.get(orgId) ?? 0;
    if (others >= mostWaiting)
      throw new AppError('capacity_unavailable', `${others} claims of this organization wait. Try again later.`);
    waiting.set(orgId, others + 1);
    try {
      const over = AbortSignal.any([gone, AbortSignal.timeout(waitSeconds * 1_000)]);
      return await waitForRun(ctx, caller, automationIds, over);
    } finally {
      const left = (waiting.get(orgId) ?? 1) - 1;
      if (left === 0) waiting.delete(orgId);
      else waiting.set(orgId, left);
    }
  };
}

async function waitForRun(
  ctx: ClaimContext,
  caller: AuthenticatedCaller,
  automationIds: readonly string[],
  signal: AbortSignal,
): Promise<HandedOut | undefined> {
  const refused = new AbortController();
  const refuse = (error: AppError) => () => refused.abort(error);
  const watches = [
    watchKey(ctx, caller, refuse(new AppError('key_revoked', 'This key no longer works.'))),
    watchAddress(
      ctx,
      caller,
      refuse(new AppError('ip_not_allowed', 'The IP access list no longer allows your address.')),
    ),
  ];
  const wakeup = createWakeup();
  const unsubscribe = ctx.notifications.subscribe('guildhall_automation_runs', caller.organization.id, wakeup.notify);
  const over = AbortSignal.any([signal, ctx.closing, refused.signal]);
  over.addEventListener('abort', wakeup.notify, { once: true });
  try {
    for (;;) {
      wakeup.reset();
      await Promise.all(watches.map((watch) => watch.settled()));
      refused.signal.throwIfAborted();
      if (over.aborted) return undefined;
      const claimed = await tryClaim(ctx, caller, automationIds);
      if (claimed !== undefined) return claimed;
      if (!over.aborted) await wakeup.wait(lookEveryMs);
      await pause(Math.random() * spreadMs, undefined, { signal: over }).catch(() => undefined);
    }
  } finally {
    unsubscribe();
    for (const watch of watches) watch.leave();
  }
}

async function tryClaim(
  ctx: ClaimContext,
  caller: AuthenticatedCaller,
  automationIds: readonly string[],
): Promise<HandedOut | undefined> {
  const { type, id: principalId, name } = caller.principal;
  // Sandboxes cannot call this operation.
  if (type === 'session') throw new AppError('forbidden', "A session's key cannot claim runs.");
  const holder = { type, id: principalId, name };
  const orgId = caller.organization.id;
  for (let round = 0; round < mostRounds; round += 1) {
    const found = await findClaimable(ctx.db.kysely, orgId, automationIds);
    if (found === undefined) return undefined;
    try {
      return await mutate(
        ctx,
        caller,
        async (trx, audit) => {
          const locked = await lockClaimable(trx, orgId, found.automation_id);
          const claimed = await handOut(ctx, trx, holder, locked);
          audit({ action: 'run.claim', resource: resourceOf(locked.run), data: dataOf(locked.run) });
          return claimed;
        },
        ['run.callback_token'],
      );
    } catch (error) {
      if (!(error instanceof Taken)) throw error;
    }
  }
  return undefined;
}

/** Locks an automation, and then its oldest run that may start; claims at the same time get one each. */
async function lockClaimable(trx: Transaction<DB>, orgId: string, automationId: string): Promise<LockedRun> {
  await lockGoverning(trx, orgId, automationId);
  const next = await findClaimable(trx, orgId, [automationId]);
  const locked = next === undefined ? undefined : await lockRun(trx, orgId, next.id);
  if (locked?.run.status !== 'pending') throw new Taken();
  return locked;
}
