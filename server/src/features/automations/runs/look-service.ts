import type { Context } from '../../../app/context.ts';
import { dispatchRun, type DispatchContext } from './dispatch-service.ts';
import { nextDue } from './due.ts';
import { endAttempt } from './end-attempt.ts';
import { bySystem, followUp, moveRun } from './move.ts';
import { sendRun, type SendContext } from './send-service.ts';
import { isHeldBack, lockRun, readRunPlace, type LockedRun, type RunRow } from './store.ts';

export type LookContext = DispatchContext & SendContext;

/**
 * Does what is due for a run: ends an attempt whose lease or time is over, begins the next attempt, or starts one that
 * may start, by a session or the receiver of its automation. Idempotent.
 */
export async function lookAtRun(
  ctx: LookContext,
  id: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const place = await readRunPlace(ctx.db.kysely, id);
  if (place === undefined) return;
  const startable = await ctx.db.transaction(async (trx) => {
    const locked = await lockRun(trx, place.org_id, id);
    if (locked === undefined) return undefined;
    const run = await actOnTime(ctx, trx, locked);
    const starts = run.status === 'pending' && !(await isHeldBack(trx, run));
    return starts ? run : undefined;
  });
  if (startable === undefined) return;
  if (startable.executor === 'platform') await dispatchRun(ctx, startable);
  else await sendRun(ctx, startable, signal);
}

/** Applies what the clock says to a locked run. */
async function actOnTime(
  ctx: Pick<Context, 'clock' | 'jobs'>,
  trx: Parameters<typeof lockRun>[0],
  locked: LockedRun,
): Promise<RunRow> {
  const { run } = locked;
  const due = nextDue(run);
  if (due === undefined) return run;
  const now = ctx.clock.now();
  if (due.at > now) {
    // The job came early: a heartbeat renewed the lease, or clocks differ.
    await followUp(ctx, trx, run);
    return run;
  }
  if (due.event === 'advance') return moveRun(ctx, trx, locked, { event: 'advance', by: bySystem, now });
  const isTimeout = run.deadline_at !== null && run.deadline_at <= now;
  return endAttempt(ctx, trx, locked, {
    outcome: 'timed_out',
    by: bySystem,
    now,
    byWatchdog: true,
    errorClass: isTimeout ? 'timeout' : 'lease_expired',
    errorMessage: isTimeout
      ? `It took longer than the ${locked.automation.timeout_minutes} minutes that its automation allows.`
      : 'Its executor sent no heartbeat in time.',
  });
}
