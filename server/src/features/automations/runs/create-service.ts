import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import { endAttempt } from './end-attempt.ts';
import { bySystem, followUp, moveRun, publishStatus } from './move.ts';
import {
  insertRun,
  isKnown,
  listActiveRuns,
  lockGoverning,
  noteOfAutomation,
  readRun,
  type GoverningAutomation,
  type RunRow,
} from './store.ts';

/** The largest number of runs of an automation that wait for their turn. */
const mostWaiting = 100;

/** The longest chain of runs, each started by what the session of the one before pushed or opened. */
const longestChain = 5;

export interface NewRun {
  trigger: {
    /** `schedule`, `once`, `webhook`, `push`, `change_request`, `followup` or `manual`. */
    type: string;
    /** Of the trigger in the automation; `''` for none. */
    id?: string;
  };
  /** The time of the schedule; null for other triggers. */
  scheduledFor: Date | null;
  /** Data from outside. */
  payload: Readonly<Record<string, unknown>>;
  /** One run of an automation per key. */
  deduplicationKey: string;
  /** The number of runs before it that started one another; 0 by default. */
  chainLength?: number;
}

/**
 * Creates a run of an automation, or returns the one with this deduplication key. Applies the automation's concurrency
 * rule, and enqueues what starts the run. Locks the automation until the transaction ends. Undefined if the automation
 * does not exist.
 */
export async function createRun(
  ctx: Pick<Context, 'jobs' | 'clock'>,
  trx: Transaction<DB>,
  { id: automationId, org_id: orgId }: { id: string; org_id: string },
  { trigger, scheduledFor, payload, deduplicationKey, chainLength = 0 }: NewRun,
): Promise<(RunRow & { isNew: boolean }) | undefined> {
  const automation = await lockGoverning(trx, orgId, automationId);
  if (automation === undefined) return undefined;
  const now = ctx.clock.now();
  const skipReason =
    chainLength > longestChain
      ? `The sessions of ${longestChain} runs before it started one another.`
      : // A repeated request must not end runs: they are those of the first one.
        (await isKnown(trx, automationId, deduplicationKey))
        ? ''
        : await makeRoom(ctx, trx, automation, now);
  const { id, isNew } = await insertRun(trx, {
    id: newId('run', now.getTime()),
    org_id: orgId,
    automation_id: automationId,
    status: skipReason === '' ? 'pending' : 'skipped',
    executor: automation.executor,
    exclusive: automation.concurrency !== 'parallel',
    trigger: trigger.type,
    trigger_id: trigger.id ?? '',
    payload: JSON.stringify(payload),
    deduplication_key: deduplicationKey,
    scheduled_at: scheduledFor,
    chain_length: chainLength,
    skip_reason: skipReason,
    created_at: now,
    ended_at: skipReason === '' ? null : now,
  });
  const run = await readRun(trx, orgId, id);
  if (run === undefined) throw new Error(`The run ${id} disappeared.`);
  if (isNew && skipReason !== '') await publishStatus(trx, [run], { previous: '', by: bySystem });
  if (isNew && skipReason === '') {
    await noteOfAutomation(trx, automationId, { last_run_at: now });
    await followUp(ctx, trx, run);
  }
  return { ...run, isNew };
}

/** Applies the concurrency rule to the runs that have not ended; returns why the new run is skipped, or `''`. */
export async function makeRoom(
  ctx: Pick<Context, 'jobs'>,
  trx: Transaction<DB>,
  automation: GoverningAutomation,
  now: Date,
): Promise<string> {
  const { concurrency } = automation;
  if (concurrency === 'parallel') return '';
  const active = await listActiveRuns(trx, automation.id, mostWaiting + 1);
  const [first] = active;
  if (first === undefined) return '';
  if (concurrency === 'skip') return `The run ${first.id} had not ended.`;
  if (concurrency === 'queue')
    return active.length > mostWaiting ? `${mostWaiting} runs of this automation were already waiting.` : '';
  for (const run of active) await cancelRun(ctx, trx, { run, automation }, now);
  return '';
}

/** Cancels a run for a newer one. */
async function cancelRun(
  ctx: Pick<Context, 'jobs'>,
  trx: Transaction<DB>,
  locked: { run: RunRow; automation: GoverningAutomation },
  now: Date,
): Promise<void> {
  const end = { outcome: 'canceled', by: bySystem, now, errorMessage: 'A newer run replaced it.' } as const;
  if (locked.run.status === 'running') await endAttempt(ctx, trx, locked, end);
  else await moveRun(ctx, trx, locked, { event: 'cancel', by: bySystem, now });
}
