import type { Transaction, Updateable } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { pendingRow } from '../../../outbox/event.ts';
import { stateAfter, type StateMove } from './change.ts';
import { nextDue } from './due.ts';
import { countFailure, countSuccess } from './failures.ts';
import { notifyRunnable, updateRun, type LockedRun, type RunRow } from './store.ts';
import { isActiveRun } from './transitions.ts';
import { findNextPending, listPendingIds } from './turn-store.ts';

/** Runs per transaction. */
const wokenTogether = 1_000;

export type MoveContext = Pick<Context, 'jobs'>;

/** The platform itself. */
export const bySystem = { type: 'system', id: '' };

export interface RunMove extends StateMove {
  /** The actor: a principal, or the system. */
  by: { type: string; id: string };
  now: Date;
  /** Changes beside those of the transition. */
  change?: Updateable<DB['automation_runs']>;
}

/**
 * Applies an event to a locked run by the table of transitions: status, tokens, times, domain event, counters of the
 * automation, and the jobs that follow. Throws {@link IllegalRunTransition}. Returns the run as it is then.
 */
export async function moveRun(
  ctx: MoveContext,
  trx: Transaction<DB>,
  { run, automation }: LockedRun,
  move: RunMove,
): Promise<RunRow> {
  const state = stateAfter(run, move);
  const { status } = state;
  const isEnd = !isActiveRun(status);
  const moved = await updateRun(trx, run.id, {
    ...state,
    ...(state.fencing_token > run.fencing_token ? begun(run, move.now) : {}),
    ...(state.attempt_no > run.attempt_no ? { next_attempt_at: null, ended_at: null, latency_ms: null } : {}),
    ...(run.status === 'running' && status !== 'running' ? { lease_expires_at: null, deadline_at: null } : {}),
    ...(isEnd ? { ended_at: move.now, next_attempt_at: null } : {}),
    ...move.change,
  });
  if (status !== run.status) {
    await publishStatus(trx, [moved], { previous: run.status, by: move.by });
    if (status === 'succeeded') await countSuccess(trx, automation);
    if (status === 'failed' || status === 'timed_out') await countFailure(trx, automation, move.now);
  }
  await followUp(ctx, trx, moved);
  if (isEnd && run.exclusive) await wakeNext(ctx, trx, moved);
  return moved;
}

/** Publishes the status of runs; `previous` is `''` for new ones. */
export async function publishStatus(
  trx: Transaction<DB>,
  runs: readonly Pick<RunRow, 'id' | 'org_id' | 'automation_id' | 'status' | 'attempt_no'>[],
  { previous, by }: { previous: RunRow['status'] | ''; by: RunMove['by'] },
): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map(({ id, org_id: orgId, automation_id, status, attempt_no }) =>
    pendingRow({
      orgId,
      type: 'run.status_changed',
      resource: { type: 'run', id },
      actor: by,
      data: { automation_id, status, previous_status: previous, attempt_no },
    }),
  );
  await trx.insertInto('outbox_pending').values(rows).execute();
}

function begun(run: RunRow, now: Date): Updateable<DB['automation_runs']> {
  return {
    started_at: run.started_at ?? now,
    attempt_started_at: now,
    deadline_at: null,
    session_id: '',
    summary: '',
    error_class: '',
    error_message: '',
  };
}

/** Enqueues what a run needs next: its start, or a look at the next of its times. */
export async function followUp(ctx: MoveContext, trx: Transaction<DB>, run: RunRow): Promise<void> {
  if (run.status === 'pending') return wakeRun(ctx, trx, run);
  const due = nextDue(run);
  if (due !== undefined)
    await ctx.jobs.enqueue(trx, 'automation_run', { run_id: run.id }, { singletonKey: run.id, startAfter: due.at });
}

/** Lets a pending run start: by a job, or by an external executor that waits in a claim. */
async function wakeRun(
  ctx: MoveContext,
  trx: Transaction<DB>,
  { id, org_id, executor }: Pick<RunRow, 'id' | 'org_id' | 'executor'>,
): Promise<void> {
  if (executor === 'external') await notifyRunnable(trx, org_id);
  await ctx.jobs.enqueue(trx, 'automation_run', { run_id: id }, { singletonKey: id });
}

/** Looks at the runs of an automation that wait to start, for whom a way to start was opened; a job does so with further ones. */
export async function wakePending(
  ctx: MoveContext,
  trx: Transaction<DB>,
  automationId: string,
  after = '',
): Promise<void> {
  const ids = await listPendingIds(trx, automationId, { after, limit: wokenTogether });
  const jobs = ids.map((id) => ({ data: { run_id: id }, singletonKey: id }));
  await ctx.jobs.enqueueNew(trx, 'automation_run', jobs);
  if (ids.length === wokenTogether)
    await ctx.jobs.enqueue(trx, 'automation_run', { wake: automationId, after: ids.at(-1) });
}

async function wakeNext(ctx: MoveContext, trx: Transaction<DB>, { automation_id }: RunRow): Promise<void> {
  const next = await findNextPending(trx, automation_id);
  if (next !== undefined) await wakeRun(ctx, trx, next);
}
