import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { newId } from '../../lib/ids.ts';
import { recordSystemAct } from '../../mutation/mutate.ts';
import { settingsOf } from '../settings/service.ts';
import { readCause } from './event-store.ts';
import { makeRoom } from './runs/create-service.ts';
import { bySystem, followUp, moveRun } from './runs/move.ts';
import {
  insertRun,
  lockGoverning,
  lockScheduled,
  noteOfAutomation,
  updateRun,
  type GoverningAutomation,
  type LockedRun,
  type RunRow,
} from './runs/store.ts';
import { readFollowable } from './store.ts';

/** The longest delay of a follow-up: a week. */
export const mostFollowupMinutes = 10_080;
export const maxNoteLength = 4_000;

/** The answer to a session that asks for a follow-up. */
export type FollowupAnswer = { at: Date } | { refusal: string };

/** Returns true if a session may schedule another run of its automation. */
export async function maySchedule(ctx: Pick<Context, 'db'>, orgId: string): Promise<boolean> {
  return (await settingsOf(ctx.db.kysely, orgId, 'automations')).followups;
}

/**
 * Schedules a run of the automation that started a session. A session has one at a time: another one replaces it. The
 * note becomes the payload, so it is data to the agent, as of any trigger.
 */
export async function scheduleFollowup(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  { orgId, sessionId }: { orgId: string; sessionId: string },
  { minutes, note }: { minutes: number; note: string },
): Promise<FollowupAnswer> {
  const settings = await settingsOf(ctx.db.kysely, orgId, 'automations');
  if (!settings.followups) return { refusal: 'The organization does not allow follow-ups.' };
  const least = settings.min_interval_minutes;
  if (minutes < least || minutes > mostFollowupMinutes)
    return { refusal: `A follow-up must be ${least} to ${mostFollowupMinutes} minutes from now.` };
  return ctx.db.transaction(async (trx) => {
    const cause = await readCause(trx, orgId, sessionId);
    const automation = cause === undefined ? undefined : await lockGoverning(trx, orgId, cause.automationId);
    if (cause === undefined || automation === undefined) return { refusal: 'No automation started this session.' };
    const now = ctx.clock.now();
    const at = new Date(now.getTime() + minutes * 60_000);
    const { id } = await putFollowup(ctx, trx, automation, { ...cause, sessionId, at, note, now });
    const fact = {
      action: 'automation.follow_up',
      resource: { type: 'automation', id: automation.id },
      changes: { run_id: id, session_id: sessionId, at: at.toISOString() },
    } as const;
    await recordSystemAct(trx, orgId, 'session', fact, now);
    return { at };
  });
}

interface NewFollowup {
  sessionId: string;
  /** The number of runs before the session's that started one another. */
  chainLength: number;
  at: Date;
  note: string;
  now: Date;
}

/** Creates the run of a follow-up, which waits for its time, or changes the one that waits already. */
async function putFollowup(
  ctx: Pick<Context, 'jobs'>,
  trx: Transaction<DB>,
  { id: automationId, org_id, executor, concurrency }: GoverningAutomation,
  { sessionId, chainLength, at, note, now }: NewFollowup,
): Promise<RunRow> {
  const id = (await lockScheduled(trx, automationId, sessionId))?.id ?? newId('run', now.getTime());
  await insertRun(trx, {
    id,
    org_id,
    automation_id: automationId,
    status: 'scheduled',
    executor,
    exclusive: concurrency !== 'parallel',
    trigger: 'followup',
    trigger_id: sessionId,
    deduplication_key: `follow-up ${id}`,
    // Otherwise automations that start one another would go on for ever by follow-ups.
    chain_length: chainLength,
    created_at: now,
  });
  const text = note.slice(0, maxNoteLength).toWellFormed().replaceAll('\u0000', '\uFFFD');
  const payload = JSON.stringify({ note: text, session_id: sessionId });
  const run = await updateRun(trx, id, { payload, scheduled_at: at });
  await followUp(ctx, trx, run);
  return run;
}

/**
 * Lets the run of a follow-up start, whose time has come. It is skipped if its automation is paused or disabled, if
 * follow-ups are no longer allowed, or by the automation's concurrency rule.
 */
export async function startFollowup(
  ctx: Pick<Context, 'jobs'>,
  trx: Transaction<DB>,
  locked: LockedRun,
  now: Date,
): Promise<RunRow> {
  const { automation } = locked;
  const reason = (await obstacleTo(trx, automation)) || (await makeRoom(ctx, trx, automation, now));
  const act = { by: bySystem, now };
  if (reason !== '') return moveRun(ctx, trx, locked, { ...act, event: 'skip', change: { skip_reason: reason } });
  await noteOfAutomation(trx, automation.id, { last_run_at: now });
  const change = { executor: automation.executor, exclusive: automation.concurrency !== 'parallel' };
  return moveRun(ctx, trx, locked, { ...act, event: 'come_due', change });
}

async function obstacleTo(trx: Transaction<DB>, { org_id: orgId, id }: GoverningAutomation): Promise<string> {
  if (!(await readFollowable(trx, orgId, id))) return 'The automation is paused or disabled.';
  const { followups } = await settingsOf(trx, orgId, 'automations');
  return followups ? '' : 'The organization no longer allows follow-ups (settings, automations.followups).';
}
