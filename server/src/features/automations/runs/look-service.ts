import type { Context } from '../../../app/context.ts';
import { startFollowup } from '../followup-service.ts';
import { dispatchRun, type DispatchContext } from './dispatch-service.ts';
import { nextDue } from './due.ts';
import { endAttempt } from './end-attempt.ts';
import { readExecutor } from './executor-store.ts';
import { bySystem, followUp, moveRun } from './move.ts';
import { lockRun, readRunPlace, type LockedRun, type RunRow } from './store.ts';
import { countWaitingOutside, isHeldBack } from './turn-store.ts';

export type LookContext = DispatchContext;

const mostCounted = 100;

/**
 * Does what is due for a run: ends an attempt whose lease or time is over, begins the next attempt or a follow-up, or starts one that
 * may start: by a session, or by a job that sends it to the receiver of its automation. Idempotent.
 */
export async function lookAtRun(ctx: LookContext, id: string): Promise<void> {
  const place = await readRunPlace(ctx.db.kysely, id);
  if (place === undefined) return;
  const startable = await ctx.db.transaction(async (trx) => {
    const locked = await lockRun(trx, place.org_id, id);
    if (locked === undefined) return undefined;
    const run = await actOnTime(ctx, trx, locked);
    if (run.status !== 'pending' || (await isHeldBack(trx, run))) return undefined;
    if (run.executor === 'platform') return run;
    if ((await readExecutor(trx, run.org_id, run.automation_id)) !== undefined) await enqueueHandOut(ctx, trx, run);
    return undefined;
  });
  if (startable !== undefined) await dispatchRun(ctx, startable);
}

/** Runs of an organization in which many wait come after those of others: its receivers may be slow. */
async function enqueueHandOut(
  ctx: Pick<Context, 'jobs'>,
  trx: Parameters<typeof lockRun>[0],
  { id, org_id: orgId }: RunRow,
): Promise<void> {
  const priority = -(await countWaitingOutside(trx, orgId, mostCounted));
  await ctx.jobs.enqueue(trx, 'automation_hand_out', { run_id: id }, { singletonKey: id, priority });
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
  if (due.event === 'come_due') return startFollowup(ctx, trx, locked, now);
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
