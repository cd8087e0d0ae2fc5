import { setTimeout as pause } from 'node:timers/promises';
import type { Actor, AuthenticatedCaller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError } from '../../../lib/errors.ts';
import { watchAddress } from '../../ip-access-list/watch.ts';
import { watchKey } from '../../auth/watch.ts';
import { createWakeup } from '../../../lib/wakeup.ts';
import { requireStreamState } from './event-service.ts';
import { readLastReply, type StreamState } from '../store/event-store.ts';

type WaitContext = Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>;

export interface Waiting {
  seconds: number;
  /** Ends the wait early, when the client disconnects. */
  signal: AbortSignal;
  /** Called with each new state, and at least every ten seconds with the current one. */
  onState?: (state: StreamState) => Promise<void>;
}

const works: ReadonlySet<string> = new Set(['queued', 'provisioning', 'running']);
const reportEveryMs = 10_000;
/** The minimum interval between two checks, for a session that logs continuously. */
const pollMs = 250;

/**
 * Waits while the session has something to do, up to the given time. Throws 404 `session_not_found`, also if it is
 * deleted in the meantime, 401 `key_revoked`, and 403 `ip_not_allowed` if the address is no longer allowed.
 */
export async function waitForSession(
  ctx: WaitContext,
  caller: AuthenticatedCaller,
  sessionId: string,
  { seconds, signal, onState }: Waiting,
): Promise<void> {
  const wakeup = createWakeup();
  const refused = new AbortController();
  const refuse = (error: AppError) => () => refused.abort(error);
  const leave = [
    ctx.notifications.subscribe('guildhall_session', sessionId, wakeup.notify),
    ctx.notifications.subscribe('guildhall_control', sessionId, wakeup.notify),
    watchKey(ctx, caller, refuse(new AppError('key_revoked', 'This key or token no longer works.'))).leave,
    watchAddress(
      ctx,
      caller,
      refuse(new AppError('ip_not_allowed', 'The IP access list no longer allows your address.')),
    ).leave,
  ];
  const over = AbortSignal.any([signal, ctx.closing, refused.signal, AbortSignal.timeout(seconds * 1_000)]);
  over.addEventListener('abort', wakeup.notify, { once: true });
  try {
    while (!over.aborted) {
      wakeup.reset();
      const state = await requireStreamState(ctx, caller, sessionId);
      if (!works.has(state.status)) break;
      await onState?.(state);
      // It may have ended before the listener was installed.
      if (over.aborted) break;
      await wakeup.wait(reportEveryMs);
      await pause(pollMs, undefined, { signal: over }).catch(() => undefined);
    }
    refused.signal.throwIfAborted();
  } finally {
    for (const unsubscribe of leave) unsubscribe();
  }
}

/** Returns the agent's last message in full; `''` for none. */
export async function lastReply(ctx: Pick<Context, 'db'>, caller: Actor, sessionId: string): Promise<string> {
  return readLastReply(ctx.db, caller.organization.id, sessionId);
}
