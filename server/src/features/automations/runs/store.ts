import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../../db/page.ts';
import type { DB } from '../../../db/types.ts';
import { activeRunStatuses, type RunStatus } from './transitions.ts';

const shown = [
  'id',
  'org_id',
  'automation_id',
  'status',
  'executor',
  'exclusive',
  'trigger',
  'trigger_id',
  sql<Record<string, unknown>>`payload`.as('payload'),
  'scheduled_at',
  'attempt_no',
  'fencing_token',
  'token_attempt_no',
  'outcome',
  'by_watchdog',
  'session_id',
  'lease_expires_at',
  'deadline_at',
  'next_attempt_at',
  'summary',
  'error_class',
  'error_message',
  'latency_ms',
  'skip_reason',
  'created_at',
  'started_at',
  'attempt_started_at',
  'ended_at',
] as const;

export type RunRow = NonNullable<Awaited<ReturnType<typeof readRun>>>;

export interface RunFilter {
  readonly statuses?: readonly RunStatus[];
  readonly triggers?: readonly string[];
}

export function runsQuery(db: Kysely<DB>, orgId: string, automationId: string, filter: RunFilter = {}) {
  const { statuses = [], triggers = [] } = filter;
  return db
    .selectFrom('automation_runs')
    .where('org_id', '=', orgId)
    .where('automation_id', '=', automationId)
    .$if(statuses.length > 0, (query) => query.where('status', 'in', statuses))
    .$if(triggers.length > 0, (query) => query.where('trigger', 'in', triggers));
}

export async function listRunRows(query: ReturnType<typeof runsQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readRun(db: Kysely<DB>, orgId: string, id: string) {
  return db
    .selectFrom('automation_runs')
    .select(shown)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function isAutomation(db: Kysely<DB>, orgId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('automations')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the organization and the automation of a run; for jobs. */
export async function readRunPlace(db: Kysely<DB>, id: string) {
  return db
    .selectFrom('automation_runs')
    .select(['id', 'org_id', 'automation_id'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The part of an automation that governs its runs. */
export type GoverningAutomation = NonNullable<Awaited<ReturnType<typeof lockGoverning>>>;

/**
 * Locks an automation until the transaction ends: everything that starts or ends its runs does so first, and then locks
 * the run.
 */
export async function lockGoverning(trx: Transaction<DB>, orgId: string, automationId: string) {
  return trx
    .selectFrom('automations')
    .select([
      'id',
      'org_id',
      'name',
      'status',
      'executor',
      'concurrency',
      'max_attempts',
      'backoff_seconds',
      'timeout_minutes',
      'pause_after_failures',
      'consecutive_failures',
    ])
    .where('org_id', '=', orgId)
    .where('id', '=', automationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export interface LockedRun {
  run: RunRow;
  automation: GoverningAutomation;
}

/** Locks a run's automation and the run; undefined if it does not exist. */
export async function lockRun(trx: Transaction<DB>, orgId: string, id: string): Promise<LockedRun | undefined> {
  const found = await trx
    .selectFrom('automation_runs')
    .select('automation_id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const automation = await lockGoverning(trx, orgId, found.automation_id);
  const run = await trx
    .selectFrom('automation_runs')
    .select(shown)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return run === undefined || automation === undefined ? undefined : { run, automation };
}

/** Returns the id of the new run, or of the one that has the deduplication key. */
export async function insertRun(
  trx: Transaction<DB>,
  row: Insertable<DB['automation_runs']>,
): Promise<{ id: string; isNew: boolean }> {
  const made = await trx
    .insertInto('automation_runs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['automation_id', 'deduplication_key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made !== undefined) return { id: made.id, isNew: true };
  const { id } = await trx
    .selectFrom('automation_runs')
    .select('id')
    .where('automation_id', '=', row.automation_id)
    .where('deduplication_key', '=', row.deduplication_key)
    .executeTakeFirstOrThrow();
  return { id, isNew: false };
}

/** Returns true if the automation has a run with this deduplication key. */
export async function isKnown(trx: Transaction<DB>, automationId: string, deduplicationKey: string): Promise<boolean> {
  const row = await trx
    .selectFrom('automation_runs')
    .select('id')
    .where('automation_id', '=', automationId)
    .where('deduplication_key', '=', deduplicationKey)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the runs of an automation that have not ended, oldest first. */
export async function listActiveRuns(trx: Transaction<DB>, automationId: string, limit: number) {
  return trx
    .selectFrom('automation_runs')
    .select(shown)
    .where('automation_id', '=', automationId)
    .where('status', 'in', activeRunStatuses)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();
}

/** Returns the follow-up of a session that waits for its time, and locks it. */
export async function lockScheduled(trx: Transaction<DB>, automationId: string, sessionId: string) {
  return trx
    .selectFrom('automation_runs')
    .select('id')
    .where('automation_id', '=', automationId)
    .where('trigger_id', '=', sessionId)
    .where('status', '=', 'scheduled')
    .forUpdate()
    .executeTakeFirst();
}

/** Changes a run that is locked, and returns it. */
export async function updateRun(
  trx: Transaction<DB>,
  id: string,
  change: Updateable<DB['automation_runs']>,
): Promise<RunRow> {
  return trx.updateTable('automation_runs').set(change).where('id', '=', id).returning(shown).executeTakeFirstOrThrow();
}

/** Wakes the claims of an organization that wait for a run. */
export async function notifyRunnable(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select pg_notify('guildhall_automation_runs', ${orgId})`.execute(trx);
}

/** Changes what the platform notes of an automation, without a new revision. */
export async function noteOfAutomation(
  trx: Transaction<DB>,
  id: string,
  change: Pick<Updateable<DB['automations']>, 'status' | 'consecutive_failures' | 'last_run_at' | 'next_run_at'>,
): Promise<void> {
  await trx.updateTable('automations').set(change).where('id', '=', id).execute();
}

/** Returns the runs that follow these sessions: those that run, and those that a late success corrects. */
export async function listFollowing(trx: Transaction<DB>, sessionIds: readonly string[]) {
  return trx
    .selectFrom('automation_runs')
    .select(['id', 'org_id', 'automation_id', 'session_id'])
    .where(sql<boolean>`session_id = any(${[...sessionIds]}::text[])`)
    .where((eb) => eb.or([eb('status', '=', 'running'), eb('by_watchdog', '=', true)]))
    .execute();
}

/** Nothing is due while an automation is paused. */
export async function stopTriggers(trx: Transaction<DB>, automationId: string): Promise<void> {
  await trx
    .updateTable('automation_triggers')
    .set({ due_at: null })
    .where('automation_id', '=', automationId)
    .execute();
}
