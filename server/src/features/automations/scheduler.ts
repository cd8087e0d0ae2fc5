import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { messageOf } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { dueRuns, type DueRuns } from './due-runs.ts';
import { claimDue, findBusy, insertRuns, lockFirstDue, setNextTimes } from './due-store.ts';
import { settingsAmong } from '../settings/service.ts';
import { createRun } from './runs/create-service.ts';
import { bySystem, publishStatus } from './runs/move.ts';
import { notifyRunnable } from './runs/store.ts';

export type SchedulerContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'log'>;

type Claimed = Awaited<ReturnType<typeof claimDue>>[number];
type Due = Claimed & DueRuns;

/** Triggers per transaction. */
const batchSize = 500;
/** Runs per transaction; fewer of those that are created one by one, because of other runs of their automation. */
const mostTogether = 2_000;
const mostSingle = 500;
/** The delay before triggers that another process holds are looked at again. */
const restMs = 1_000;

const wakeUp = { singletonKey: 'due' };

/** Handles the scheduler's jobs in this process. */
export function startScheduler(ctx: SchedulerContext): void {
  ctx.jobs.work('automation_schedule', { concurrency: 1 }, ({ signal }) => runDue(ctx, signal));
}

/** Lets the scheduler look now: by maintenance, in case that its job was lost. */
export async function wakeScheduler(ctx: SchedulerContext): Promise<void> {
  await ctx.db.transaction((trx) => ctx.jobs.enqueue(trx, 'automation_schedule', {}, wakeUp));
}

/**
 * Creates the runs of all triggers that are due, and a job for the first time to come. Any number of processes may do so
 * at once: a trigger and its automation are claimed with their next time, in the transaction that creates the run.
 */
export async function runDue(ctx: SchedulerContext, signal?: AbortSignal): Promise<void> {
  let claimed = 0;
  do {
    signal?.throwIfAborted();
    claimed = await ctx.db.transaction((trx) => claimBatch(ctx, trx));
  } while (claimed > 0);
  await ctx.db.transaction(async (trx) => {
    const first = await lockFirstDue(trx);
    if (first === undefined) return;
    const startAfter = new Date(Math.max(first.getTime(), ctx.clock.now().getTime() + restMs));
    await ctx.jobs.enqueue(trx, 'automation_schedule', {}, { ...wakeUp, startAfter });
  });
}

/** Returns the number of triggers that were handled. */
async function claimBatch(ctx: SchedulerContext, trx: Transaction<DB>): Promise<number> {
  const now = ctx.clock.now();
  const claimed = await claimDue(trx, now, batchSize);
  if (claimed.length === 0) return 0;
  const busy = await findBusy(
    trx,
    claimed.map(({ automation_id }) => automation_id),
  );
  const settings = await settingsAmong(trx, [...new Set(claimed.map(({ org_id }) => org_id))], 'automations');
  const handled: Due[] = [];
  const together: NewDueRun[] = [];
  const single: NewDueRun[] = [];
  const seen = new Set(busy);
  for (const trigger of claimed) {
    // To compute the times of more would take long.
    if (together.length >= mostTogether || single.length >= mostSingle) break;
    const { min_interval_minutes } = settings(trigger.org_id);
    const due = { ...trigger, ...runsOf(ctx, trigger, now, min_interval_minutes) };
    const isFree = due.concurrency === 'parallel' || (due.runs.length <= 1 && !seen.has(due.automation_id));
    const runs = due.runs.map((at) => ({ due, at }));
    const list = isFree ? together : single;
    // It stays due, and the next batch claims it.
    if (list.length > 0 && list.length + runs.length > (isFree ? mostTogether : mostSingle)) continue;
    if (runs.length > 0) seen.add(due.automation_id);
    list.push(...runs);
    handled.push(due);
  }
  await setNextTimes(
    trx,
    handled.map((due) => ({ ...due, last: due.runs.at(-1) })),
  );
  await createTogether(ctx, trx, [...together, ...skippedOf(handled)], now);
  for (const { due, at } of single)
    await createRun(
      ctx,
      trx,
      { id: due.automation_id, org_id: due.org_id },
      {
        trigger: { type: due.trigger?.type ?? 'schedule', id: due.id },
        scheduledFor: at,
        payload: {},
        deduplicationKey: keyOf(at),
      },
    );
  return handled.length;
}

/** A trigger that cannot be read must not hold up all others: it never comes due again until it is changed. */
function runsOf(ctx: SchedulerContext, trigger: Claimed, now: Date, minIntervalMinutes: number): DueRuns {
  try {
    return dueRuns(trigger, now, minIntervalMinutes);
  } catch (error) {
    ctx.log.error({ automation: trigger.automation_id, reason: messageOf(error) }, 'a schedule cannot be read');
    return { runs: [], next: undefined };
  }
}

interface NewDueRun {
  due: Due;
  at: Date;
  skipReason?: string;
}

/** One run of an automation per time, whichever of its schedules names it. */
function keyOf(at: Date): string {
  return `at ${at.toISOString()}`;
}

/** Records that times passed without a run, beside what another schedule of the automation starts at that time. */
function skippedOf(handled: readonly Due[]): NewDueRun[] {
  return handled.flatMap((due) =>
    due.skipped === undefined ? [] : [{ due, at: due.skipped.at, skipReason: due.skipped.reason }],
  );
}

/** Creates runs and their jobs in a few statements. No other run of their automations has to be regarded. */
async function createTogether(
  ctx: SchedulerContext,
  trx: Transaction<DB>,
  wanted: readonly NewDueRun[],
  now: Date,
): Promise<void> {
  const rows = wanted.map(({ due, at, skipReason = '' }) => ({
    id: newId('run', now.getTime()),
    org_id: due.org_id,
    automation_id: due.automation_id,
    status: skipReason === '' ? ('pending' as const) : ('skipped' as const),
    executor: due.executor,
    exclusive: due.concurrency !== 'parallel',
    trigger: due.trigger?.type ?? 'schedule',
    trigger_id: due.id,
    deduplication_key: skipReason === '' ? keyOf(at) : `skipped ${due.id} ${keyOf(at)}`,
    scheduled_at: at,
    skip_reason: skipReason,
    created_at: now,
    ended_at: skipReason === '' ? null : now,
  }));
  const inserted = await insertRuns(trx, rows, now);
  const skipped = inserted.filter(({ status }) => status === 'skipped');
  await publishStatus(trx, skipped, { previous: '', by: bySystem });
  const made = inserted.filter(({ status }) => status === 'pending');
  const external = new Set(made.filter(({ executor }) => executor === 'external').map(({ org_id }) => org_id));
  for (const orgId of external) await notifyRunnable(trx, orgId);
  await ctx.jobs.enqueueNew(
    trx,
    'automation_run',
    made.map(({ id }) => ({ data: { run_id: id }, singletonKey: id })),
  );
}
