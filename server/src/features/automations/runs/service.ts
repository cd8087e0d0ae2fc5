import type { Actor, Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { countRows } from '../../../db/count.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { filterValues } from '../../../lib/filters.ts';
import { paginate } from '../../../lib/paging.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { endAttempt } from './end-attempt.ts';
import { moveRun } from './move.ts';
import { runTriggers, type AutomationRun, type AutomationRunQuery } from './schemas.ts';
import { isAutomation, listRunRows, lockRun, readRun, runsQuery, type RunRow } from './store.ts';
import { findRunTransition, runStatuses, type RunEvent } from './transitions.ts';

type RunContext = Pick<Context, 'db' | 'clock'>;

/** Newest first. Throws 404 `automation_not_found`. */
export async function listRuns(
  ctx: Pick<Context, 'db'>,
  { organization }: Actor,
  automationId: string,
  query: AutomationRunQuery,
) {
  if (!(await isAutomation(ctx.db.kysely, organization.id, automationId))) throw notFound('automation', automationId);
  const { status, trigger } = query;
  const statuses = filterValues('status', status, runStatuses);
  const rows = runsQuery(ctx.db.kysely, organization.id, automationId, {
    statuses,
    triggers: filterValues('trigger', trigger, runTriggers),
  });
  const page = await paginate({
    list: 'automation_runs',
    filters: { automationId, status, trigger },
    query,
    rows: (after, limit) => listRunRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map(shownRun) };
}

/** Throws 404 `run_not_found`, like all functions here. */
export async function getRun(ctx: Pick<Context, 'db'>, { organization }: Actor, id: string): Promise<AutomationRun> {
  const row = await readRun(ctx.db.kysely, organization.id, id);
  if (row === undefined) throw notFound('run', id);
  return shownRun(row);
}

/** Ends a run, and cancels its session. Throws 409 `invalid_transition` for one that ended otherwise. */
export async function cancelRun(ctx: RunContext & Pick<Context, 'jobs'>, caller: Caller, id: string) {
  return mutate(ctx, caller, async (trx, audit) => {
    const locked = await lockRun(trx, caller.organization.id, id);
    if (locked === undefined) throw notFound('run', id);
    const { run } = locked;
    if (run.status === 'canceled') return shownRun(run);
    requireEvent(run, 'cancel', 'canceled');
    const { type, id: by } = caller.principal;
    const act = { by: { type, id: by }, now: ctx.clock.now() };
    const moved =
      run.status === 'running'
        ? await endAttempt(ctx, trx, locked, { ...act, outcome: 'canceled' })
        : await moveRun(ctx, trx, locked, { ...act, event: 'cancel' });
    audit({ action: 'run.cancel', resource: resourceOf(run), data: dataOf(run) });
    return shownRun(moved);
  });
}

/** Starts the next attempt of a run that failed, timed out or was canceled. Throws 409 `invalid_transition`. */
export async function retryRun(ctx: RunContext & Pick<Context, 'jobs'>, caller: Caller, id: string) {
  return mutate(ctx, caller, async (trx, audit) => {
    const locked = await lockRun(trx, caller.organization.id, id);
    if (locked === undefined) throw notFound('run', id);
    const { run } = locked;
    requireEvent(run, 'advance', 'retried');
    const { type, id: by } = caller.principal;
    const moved = await moveRun(ctx, trx, locked, { event: 'advance', by: { type, id: by }, now: ctx.clock.now() });
    audit({ action: 'run.retry', resource: resourceOf(run), data: dataOf(run) });
    return shownRun(moved);
  });
}

function requireEvent({ id, status }: RunRow, event: RunEvent, participle: string): void {
  if (findRunTransition(status, event) !== undefined) return;
  throw new AppError('invalid_transition', `The run ${id} is ${status} and cannot be ${participle}.`);
}

export function resourceOf({ id }: { id: string }): { type: string; id: string } {
  return { type: 'run', id };
}

export function dataOf({ automation_id }: RunRow): { automation_id: string } {
  return { automation_id };
}

/** Returns a run as the API shows it. */
export function shownRun(row: RunRow): AutomationRun {
  return {
    id: row.id,
    automation_id: row.automation_id,
    status: row.status,
    attempt_no: row.attempt_no,
    fencing_token: row.fencing_token,
    trigger: row.trigger,
    session_id: row.session_id === '' ? null : row.session_id,
    scheduled_at: row.scheduled_at,
    started_at: row.started_at,
    ended_at: row.ended_at,
    next_attempt_at: row.next_attempt_at,
    summary: row.summary,
    error_class: row.error_class,
    error_message: row.error_message,
    latency_ms: row.latency_ms,
    skip_reason: row.skip_reason,
    created_at: row.created_at,
  };
}
