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
  /** Its session ended by itself; otherwise the session is canceled. */
  bySession?: boolean;
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
  { outcome, by, now, byWatchdog = false, bySession = false, ...end }: AttemptEnd,
): Promise<RunRow> {
  const { run, automation } = locked;
  const next = isFailure(outcome) ? nextAttemptAt(automation, run.attempt_no, now) : undefined;
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
      latency_ms: end.latencyMs ?? latencyOf(run, now),
      ...(next === undefined ? {} : { next_attempt_at: next }),
    },
  });
  if (run.status === 'running' && !bySession && run.session_id !== '')
    await ctx.jobs.enqueue(trx, 'automation_run', { cancel: run.session_id, org_id: run.org_id });
  return moved;
}

/** Replaces the watchdog's `timed_out` of a locked run's attempt by the success that came late. */
export async function correctAttempt(
  ctx: MoveContext,
  trx: Transaction<DB>,
  locked: LockedRun,
  { by, now, summary, latencyMs }: Pick<AttemptEnd, 'by' | 'now' | 'summary' | 'latencyMs'>,
): Promise<RunRow> {
  const { run } = locked;
  return moveRun(ctx, trx, locked, {
    event: 'correct',
    by,
    now,
    change: {
      summary: summary ?? run.summary,
      error_class: '',
      error_message: '',
      latency_ms: latencyMs ?? latencyOf(run, now),
    },
  });
}

function latencyOf({ attempt_started_at: since }: RunRow, now: Date): number {
  return since === null ? 0 : Math.max(0, now.getTime() - since.getTime());
}
