import { Type, type Static } from 'typebox';
import type { Context } from '../../app/context.ts';
import { recordSystemAct } from '../../mutation/mutate.ts';
import { settingsOf } from '../settings/service.ts';
import { readCause } from './event-store.ts';
import { createRun } from './runs/create-service.ts';
import { lockGoverning } from './runs/store.ts';
import { readFollowable } from './store.ts';

/** The longest delay of a follow-up: a week. */
export const mostFollowupMinutes = 10_080;
export const maxNoteLength = 4_000;

/** The job that creates the run of a follow-up. */
export const FollowupJob = Type.Object({
  follow_up: Type.String(),
  org_id: Type.String(),
  session_id: Type.String(),
  at: Type.String(),
  note: Type.String(),
});

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
    const automationId = (await readCause(trx, orgId, sessionId))?.automationId;
    if (automationId === undefined || (await lockGoverning(trx, orgId, automationId)) === undefined)
      return { refusal: 'No automation started this session.' };
    const now = ctx.clock.now();
    const at = new Date(now.getTime() + minutes * 60_000);
    const job: Static<typeof FollowupJob> = {
      follow_up: automationId,
      org_id: orgId,
      session_id: sessionId,
      at: at.toISOString(),
      note: note.slice(0, maxNoteLength).toWellFormed().replaceAll('\u0000', '\uFFFD'),
    };
    await ctx.jobs.enqueue(trx, 'automation_run', job, { singletonKey: `follow-up of ${sessionId}`, startAfter: at });
    const fact = {
      action: 'automation.follow_up',
      resource: { type: 'automation', id: automationId },
      changes: { session_id: sessionId, at: job.at },
    } as const;
    await recordSystemAct(trx, orgId, 'session', fact, now);
    return { at };
  });
}

/** Creates the run of a follow-up, unless its automation is paused or disabled, or follow-ups are no longer allowed. */
export async function startFollowup(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  { follow_up: id, org_id, session_id, at, note }: Static<typeof FollowupJob>,
): Promise<void> {
  if (!(await maySchedule(ctx, org_id))) return;
  await ctx.db.transaction(async (trx) => {
    if (!(await readFollowable(trx, org_id, id))) return;
    await createRun(
      ctx,
      trx,
      { id, org_id },
      {
        trigger: { type: 'followup' },
        scheduledFor: new Date(at),
        payload: { note, session_id },
        deduplicationKey: `follow-up of ${session_id} at ${at}`,
      },
    );
  });
}
