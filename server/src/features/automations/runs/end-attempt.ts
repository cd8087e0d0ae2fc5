import type { Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { endEvent, isFailure } from './change.ts';
import { nextAttemptAt } from './due.ts';
import { moveRun, type MoveContext, type RunMove } from './move.ts';
import type { LockedRun, RunRow } from './store.ts';
import type { Outcome } from './transitions.ts';

/** The end of an attempt. */
export interface AttemptEnd {
  outcome: Outcome;
  by: RunMove['by'];
  now: Date;
  byWatchdog?: boolean;
  summary?: string | undefined;
  errorClass?: string | undefined;
  errorMessage?: string | undefined;
  /** By default since the start of the attempt. */
  latencyMs?: number | undefined;
}

/** Ends the attempt of a locked run. After a failure another one follows, as often as the automation says. */
export async function endAttempt(
  ctx: MoveContext,
  trx: Transaction<DB>,
  locked: LockedRun,
  { outcome, by, now, byWatchdog = false, ...end }: AttemptEnd,
): Promise<RunRow> {
  const { run, automation } = locked;
  const next = isFailure(outcome) ? nextAttemptAt(automation, run.attempt_no, now) : undefined;
  const since = run.attempt_started_at ?? now;
  const moved = await moveRun(ctx, trx, locked, {
    event: endEvent(outcome, next !== undefined),
    by,
    now,
    outcome,
    byWatchdog,
    change: {
      summary: end.summary ?? run.summary,
      error_class: outcome === 'succeeded' ? '' : (end.errorClass ?? ''),
      error_message: outcome === 'succeeded' ? '' : (end.errorMessage ?? ''),
      latency_ms: end.latencyMs ?? Math.max(0, now.getTime() - since.getTime()),
      ...(next === undefined ? {} : { next_attempt_at: next }),
    },
  });
  const given = byWatchdog || outcome === 'canceled';
  if (given && run.session_id !== '')
    await ctx.jobs.enqueue(trx, 'automation_run', { cancel: run.session_id, org_id: run.org_id });
  return moved;
}
