import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';
import { containing } from '../../db/pattern.ts';
import type { StoredAction, StoredTrigger } from './schemas.ts';

const shown = [
  'id',
  'org_id',
  'name',
  'enabled',
  'status',
  'executor',
  'run_as',
  'concurrency',
  'missed_runs',
  'max_attempts',
  'backoff_seconds',
  'timeout_minutes',
  'pause_after_failures',
  'consecutive_failures',
  'last_run_at',
  'next_run_at',
  'hook_secret_no',
  'created_by_type',
  'created_by_id',
  principal('automations.created_by').as('created_by'),
  'revision',
  'created_at',
  'updated_at',
  sql<StoredTrigger[]>`triggers`.as('triggers'),
  sql<StoredAction>`action`.as('action'),
] as const;

export interface AutomationFilter {
  readonly search?: string | undefined;
  readonly statuses?: readonly ('active' | 'paused' | 'degraded')[];
  readonly enabled?: boolean | undefined;
}

export type AutomationRow = NonNullable<Awaited<ReturnType<typeof readAutomation>>>;

export function automationsQuery(db: Kysely<DB>, orgId: string, filter: AutomationFilter = {}) {
  const { search = '', statuses = [], enabled } = filter;
  const pattern = containing(search);
  return db
    .selectFrom('automations')
    .where('org_id', '=', orgId)
    .$if(search !== '', (query) => query.where('name', 'ilike', pattern))
    .$if(statuses.length > 0, (query) => query.where('status', 'in', statuses))
    .$if(enabled !== undefined, (query) => query.where('enabled', '=', enabled ?? true));
}

export async function listAutomationRows(
  query: ReturnType<typeof automationsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readAutomation(db: Kysely<DB>, orgId: string, id: string) {
  return automationsQuery(db, orgId).select(shown).where('id', '=', id).executeTakeFirst();
}

/** Returns the automation and locks it until the transaction ends. */
export async function lockAutomation(trx: Transaction<DB>, orgId: string, id: string) {
  return automationsQuery(trx, orgId).select(shown).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

export async function insertAutomation(trx: Transaction<DB>, row: Insertable<DB['automations']>): Promise<void> {
  await trx.insertInto('automations').values(row).execute();
}

export async function updateAutomationRow(
  trx: Transaction<DB>,
  id: string,
  change: Updateable<DB['automations']>,
): Promise<void> {
  await trx.updateTable('automations').set(change).where('id', '=', id).execute();
}

export async function deleteAutomationRow(trx: Transaction<DB>, id: string): Promise<void> {
  await trx.deleteFrom('automations').where('id', '=', id).execute();
}

/** Returns when triggers of an automation are due, and when they last were, by trigger. */
export async function readTriggerTimes(trx: Transaction<DB>, automationId: string) {
  const rows = await trx
    .selectFrom('automation_triggers')
    .select(['id', 'due_at', 'last_due_at'])
    .where('automation_id', '=', automationId)
    .execute();
  return new Map(rows.map(({ id, ...times }) => [id, times]));
}

/** Replaces the triggers of an automation. */
export async function replaceTriggers(
  trx: Transaction<DB>,
  automationId: string,
  rows: Insertable<DB['automation_triggers']>[],
): Promise<void> {
  await trx.deleteFrom('automation_triggers').where('automation_id', '=', automationId).execute();
  if (rows.length > 0) await trx.insertInto('automation_triggers').values(rows).execute();
}

/** Returns true if triggers may start an automation: it is enabled and not paused, and its organization is active. */
export async function readFollowable(trx: Transaction<DB>, orgId: string, id: string): Promise<boolean> {
  const row = await automationsQuery(trx, orgId, { enabled: true })
    .innerJoin('organizations as o', 'o.id', 'automations.org_id')
    .select('automations.id')
    .where('automations.id', '=', id)
    .where('automations.status', '<>', 'paused')
    .where('o.state', '=', 'active')
    .executeTakeFirst();
  return row !== undefined;
}
