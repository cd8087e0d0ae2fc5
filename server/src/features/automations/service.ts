import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { notFound } from '../../lib/errors.ts';
import { filterValues, flagValue } from '../../lib/filters.ts';
import { newId } from '../../lib/ids.ts';
import { paginate } from '../../lib/paging.ts';
import { isDeepStrictEqual } from 'node:util';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import {
  defaultDefinition,
  definitionWith,
  automationSettings,
  requireAction,
  requireOwn,
  type AutomationSettings,
  type Definition,
} from './rules.ts';
import { readBack, toApiShape, withSecret } from './shown.ts';
import { nextTime } from './schedule.ts';
import {
  automationStatuses,
  type AutomationQuery,
  type CreateAutomation,
  type StoredTrigger,
  type UpdateAutomation,
} from './schemas.ts';
import {
  automationsQuery,
  deleteAutomationRow,
  insertAutomation,
  listAutomationRows,
  lockAutomation,
  readAutomation,
  readTriggerTimes,
  replaceTriggers,
  updateAutomationRow,
  type AutomationRow,
} from './store.ts';
import { storedTriggers } from './trigger-rules.ts';

export type AutomationContext = Pick<Context, 'db' | 'clock' | 'baseUrl' | 'keyRing' | 'jobs'>;

const once = ['hook_secret'];

export async function listAutomations(ctx: AutomationContext, caller: Actor, query: AutomationQuery) {
  const { first: _first, after: _after, ...filters } = query;
  const orgId = caller.organization.id;
  const rows = automationsQuery(ctx.db.kysely, orgId, {
    search: filters.search,
    statuses: filterValues('status', filters.status, automationStatuses),
    enabled: flagValue('enabled', filters.enabled),
  });
  const page = await paginate({
    list: 'automations',
    filters: { orgId, ...filters },
    query,
    rows: (after, limit) => listAutomationRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  const settings = await automationSettings(ctx, orgId);
  return { ...page, items: page.items.map((row) => toApiShape(ctx, row, settings)) };
}

export async function getAutomation(ctx: AutomationContext, caller: Actor, id: string) {
  const orgId = caller.organization.id;
  return toApiShape(ctx, await requireAutomation(ctx, orgId, id), await automationSettings(ctx, orgId));
}

/** Throws 404 `automation_not_found`. */
async function requireAutomation(ctx: Pick<Context, 'db'>, orgId: string, id: string): Promise<AutomationRow> {
  const row = await readAutomation(ctx.db.kysely, orgId, id);
  if (row === undefined) throw notFound('automation', id);
  return row;
}

/** Throws 400 `invalid_schedule`, `invalid_request`, 404 `agent_not_found`. */
export async function createAutomation(ctx: AutomationContext, caller: Caller, input: CreateAutomation) {
  const orgId = caller.organization.id;
  const now = ctx.clock.now();
  const settings = await automationSettings(ctx, orgId);
  const triggers = storedTriggers(input.triggers, { now, minIntervalMinutes: settings.min_interval_minutes });
  const definition = definitionWith(defaultDefinition, input, triggers);
  await requireAction(ctx, orgId, definition.action);
  const id = newId('aut', now.getTime());
  const { type, id: creatorId } = caller.principal;
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      await insertAutomation(trx, {
        id,
        org_id: orgId,
        ...columnsOf(definition),
        created_by_type: type,
        created_by_id: creatorId,
        created_at: now,
        updated_at: now,
      });
      await plan(ctx, trx, { id, org_id: orgId, status: 'active', ...definition }, now);
      audit({
        action: 'automation.create',
        resource: { type: 'automation', id },
        changes: { name: definition.name, triggers: triggers.map((trigger) => trigger.type) },
      });
      return withSecret(ctx, await readBack(ctx, trx, orgId, id, settings), { triggers, before: [], no: 0 });
    },
    once,
  );
}

/** Updates the given fields; those of `action` and `retry` one by one, `triggers` as a whole. */
export async function updateAutomation(ctx: AutomationContext, caller: Caller, id: string, input: UpdateAutomation) {
  const orgId = caller.organization.id;
  const settings = await automationSettings(ctx, orgId);
  if (input.action !== undefined) {
    const { action } = await requireAutomation(ctx, orgId, id);
    await requireAction(ctx, orgId, {
      ...action,
      ...definitionWith({ ...defaultDefinition, action }, input, []).action,
    });
  }
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      const before = await lockAutomation(trx, orgId, id);
      if (before === undefined) throw notFound('automation', id);
      await requireMatch(caller, () => toApiShape(ctx, before, settings));
      const now = ctx.clock.now();
      const rules = { now, minIntervalMinutes: settings.min_interval_minutes, known: before.triggers };
      const triggers = input.triggers === undefined ? before.triggers : storedTriggers(input.triggers, rules);
      const after = definitionWith(before, withoutEcho(input, before, settings), triggers);
      const changes = changedFields(before, after);
      if (changes.length === 0) return toApiShape(ctx, before, settings);
      requireOwn(caller, before, after, changes);
      await updateAutomationRow(trx, id, { ...columnsOf(after), revision: before.revision + 1, updated_at: now });
      if (changes.includes('triggers') || changes.includes('enabled'))
        await plan(ctx, trx, { ...before, ...after }, now, before.enabled ? before.triggers : []);
      audit({
        action: 'automation.update',
        resource: { type: 'automation', id },
        changes: { name: after.name, fields: changes },
      });
      const hooks = { triggers, before: before.triggers, no: before.hook_secret_no };
      return withSecret(ctx, await readBack(ctx, trx, orgId, id, settings), hooks);
    },
    once,
  );
}

/** Deletes an automation with its runs; sessions that it started continue. */
export async function deleteAutomation(ctx: AutomationContext, caller: Caller, id: string): Promise<null> {
  const settings = await automationSettings(ctx, caller.organization.id);
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockAutomation(trx, caller.organization.id, id);
    if (before === undefined) throw notFound('automation', id);
    await requireMatch(caller, () => toApiShape(ctx, before, settings));
    await deleteAutomationRow(trx, id);
    audit({ action: 'automation.delete', resource: { type: 'automation', id }, changes: { name: before.name } });
    return null;
  });
}

/** Pauses: nothing starts it but `/trigger`; runs that started continue. */
export async function pauseAutomation(ctx: AutomationContext, caller: Caller, id: string) {
  return setPaused(ctx, caller, id, true);
}

/** Resumes: its failures are forgotten, and its times count from now on. */
export async function resumeAutomation(ctx: AutomationContext, caller: Caller, id: string) {
  return setPaused(ctx, caller, id, false);
}

async function setPaused(ctx: AutomationContext, caller: Caller, id: string, isPaused: boolean) {
  const orgId = caller.organization.id;
  const settings = await automationSettings(ctx, orgId);
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockAutomation(trx, orgId, id);
    if (before === undefined) throw notFound('automation', id);
    if ((before.status === 'paused') === isPaused) return toApiShape(ctx, before, settings);
    const now = ctx.clock.now();
    const status = isPaused ? 'paused' : 'active';
    const failures = isPaused ? {} : { consecutive_failures: 0 };
    await updateAutomationRow(trx, id, { status, ...failures, updated_at: now });
    await plan(ctx, trx, { ...before, status }, now);
    audit({
      action: isPaused ? 'automation.pause' : 'automation.resume',
      resource: { type: 'automation', id },
      changes: { name: before.name },
    });
    return readBack(ctx, trx, orgId, id, settings);
  });
}

/**
 * Writes the triggers' rows with their next times, and wakes the scheduler. Times that have passed are over, but a trigger of `kept`
 * that is the same as before keeps its time, which may be due already.
 */
async function plan(
  ctx: Pick<Context, 'jobs'>,
  trx: Transaction<DB>,
  automation: Pick<AutomationRow, 'id' | 'org_id' | 'enabled' | 'status' | 'triggers'>,
  now: Date,
  kept: readonly StoredTrigger[] = [],
): Promise<void> {
  const times = await readTriggerTimes(trx, automation.id);
  const knownTime = (trigger: StoredTrigger) =>
    kept.some((one) => isSameTimetable(one, trigger)) ? times.get(trigger.id)?.due_at : undefined;
  const isOn = automation.enabled && automation.status !== 'paused';
  const rows = automation.triggers.map((trigger) => ({
    id: trigger.id,
    org_id: automation.org_id,
    automation_id: automation.id,
    type: trigger.type,
    due_at: isOn ? (knownTime(trigger) ?? nextTime(trigger, now) ?? null) : null,
    last_due_at: times.get(trigger.id)?.last_due_at ?? null,
  }));
  await replaceTriggers(trx, automation.id, rows);
  const due = rows.flatMap(({ due_at: at }) => (at === null ? [] : [at])).sort((a, b) => a.getTime() - b.getTime());
  await updateAutomationRow(trx, automation.id, { next_run_at: due[0] ?? null });
  if (due.length > 0) await ctx.jobs.enqueue(trx, 'automation_schedule', {}, { singletonKey: 'due' });
}

function isSameTimetable(one: StoredTrigger, other: StoredTrigger): boolean {
  return one.id === other.id && one.cron === other.cron && one.timezone === other.timezone && one.at === other.at;
}

/** A read shows the settings' limit where the automation has none of its own: sent back, it does not become its own. */
function withoutEcho(
  { pause_after_failures: limit, ...input }: UpdateAutomation,
  before: AutomationRow,
  settings: AutomationSettings,
): UpdateAutomation {
  const isEcho = before.pause_after_failures === null && limit === settings.pause_after_failures;
  return limit === undefined || isEcho ? input : { ...input, pause_after_failures: limit };
}

function columnsOf({ triggers, action, ...definition }: Definition) {
  return { ...definition, triggers: JSON.stringify(triggers), action: JSON.stringify(action) };
}

function changedFields(before: AutomationRow, after: Definition): string[] {
  return Object.entries(after).flatMap(([field, value]) =>
    isDeepStrictEqual(Reflect.get(before, field), value) ? [] : [field],
  );
}
