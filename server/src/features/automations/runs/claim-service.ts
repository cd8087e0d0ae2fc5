import { setTimeout as pause } from 'node:timers/promises';
import type { AuthenticatedCaller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError } from '../../../lib/errors.ts';
import { createWakeup } from '../../../lib/wakeup.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { watchKey } from '../../auth/watch.ts';
import { watchAddress } from '../../ip-access-list/watch.ts';
import { handOut, type HandedOut } from './hand-out.ts';
import type { ClaimRun } from './schemas.ts';
import { dataOf, resourceOf } from './service.ts';
import { findClaimable, isHeldBack, lockRun } from './store.ts';

type ClaimContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl' | 'notifications' | 'closing' | 'log'>;

/** Runs that a claim tries before it waits: others may take them at the same time. */
const candidates = 10;
/** The polling interval, for a notification that was lost. */
const lookEveryMs = 5_000;
/** Spreads claims that were woken together. */
const spreadMs = 50;

/** Another claim was faster. */
class Taken extends Error {}

/**
 * Gives the caller the oldest run that may start, and waits for one without holding a database connection; undefined if
 * there was none in time. Throws 401 `key_revoked` and 403 `ip_not_allowed` if the caller loses its access meanwhile.
 */
export async function claimRun(
  ctx: ClaimContext,
  caller: AuthenticatedCaller,
  input: ClaimRun,
  gone: AbortSignal,
): Promise<HandedOut | undefined> {
  const { wait_seconds: waitSeconds = 0, automation_ids: automationIds = [] } = input;
  const first = await tryClaim(ctx, caller, automationIds);
  if (first !== undefined || waitSeconds === 0) return first;
  const wakeup = createWakeup();
  const refused = new AbortController();
  const refuse = (error: AppError) => () => refused.abort(error);
  const leave = [
    ctx.notifications.subscribe('guildhall_automation_runs', caller.organization.id, wakeup.notify),
    watchKey(ctx, caller, refuse(new AppError('key_revoked', 'This key no longer works.'))).leave,
    watchAddress(
      ctx,
      caller,
      refuse(new AppError('ip_not_allowed', 'The IP access list no longer allows your address.')),
    ).leave,
  ];
  const over = AbortSignal.any([gone, ctx.closing, refused.signal, AbortSignal.timeout(waitSeconds * 1_000)]);
  over.addEventListener('abort', wakeup.notify, { once: true });
  try {
    while (!over.aborted) {
      wakeup.reset();
      const claimed = await tryClaim(ctx, caller, automationIds);
      if (claimed !== undefined) return claimed;
      if (over.aborted) break;
      await wakeup.wait(lookEveryMs);
      await pause(Math.random() * spreadMs, undefined, { signal: over }).catch(() => undefined);
    }
    refused.signal.throwIfAborted();
    return undefined;
  } finally {
    for (const unsubscribe of leave) unsubscribe();
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
  const found = await findClaimable(ctx.db.kysely, caller.organization.id, automationIds, candidates);
  for (const { id } of found) {
    try {
      return await mutate(
        ctx,
        caller,
        async (trx, audit) => {
          const locked = await lockRun(trx, caller.organization.id, id);
          if (locked?.run.status !== 'pending' || (await isHeldBack(trx, locked.run))) throw new Taken();
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
