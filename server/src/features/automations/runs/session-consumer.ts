import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import type { Consumer } from '../../../outbox/consumer.ts';
import type { OutboxEvent } from '../../../outbox/event.ts';
import { readResult } from '../../sessions/run/result-service.ts';
import { correctAttempt, endAttempt, type AttemptEnd } from './end-attempt.ts';
import { bySystem, followUp } from './move.ts';
import { judge } from './report.ts';
import { listFollowing, lockGoverning, lockRun, updateRun, type LockedRun } from './store.ts';

const works: ReadonlySet<unknown> = new Set(['provisioning', 'running']);
/** The end of a session in these statuses ends the attempt. */
const ends: ReadonlySet<unknown> = new Set(['completed', 'failed', 'canceled']);

/** Lets runs follow their sessions: the timeout counts from the start of work, and the session's end is the run's. */
export const followSessions: Consumer<Pick<Context, 'clock' | 'jobs'>> = {
  name: 'automations.follow_sessions',
  types: ['session.status_changed', 'session.deleted'],
  handle: async (ctx, trx, events) => {
    const told = events.filter(
      ({ type, data }) => type === 'session.deleted' || works.has(data['status']) || ends.has(data['status']),
    );
    const runs = await listFollowing(trx, [...new Set(told.map(({ resource }) => resource.id))]);
    const bySession = new Map(runs.map((run) => [run.session_id, run]));
    // In one order, so that two consumers cannot deadlock.
    const automations = new Map(runs.map((run) => [run.automation_id, run.org_id]));
    for (const id of [...automations.keys()].toSorted()) await lockGoverning(trx, automations.get(id) ?? '', id);
    for (const event of told) {
      const followed = bySession.get(event.resource.id);
      const locked = followed === undefined ? undefined : await lockRun(trx, followed.org_id, followed.id);
      // A newer attempt has another session.
      if (locked?.run.session_id === event.resource.id) await follow(ctx, trx, locked, event);
    }
  },
};

async function follow(
  ctx: Pick<Context, 'clock' | 'jobs'>,
  trx: Transaction<DB>,
  locked: LockedRun,
  event: OutboxEvent,
): Promise<void> {
  const { run, automation } = locked;
  const now = ctx.clock.now();
  if (run.status !== 'running') return correct(ctx, trx, locked, event);
  if (works.has(event.data['status'])) {
    if (run.deadline_at !== null) return;
    const deadline_at = new Date(now.getTime() + automation.timeout_minutes * 60_000);
    await followUp(ctx, trx, await updateRun(trx, run.id, { deadline_at }));
    return;
  }
  await endAttempt(ctx, trx, locked, { ...(await endOf(trx, run.org_id, event)), bySession: true, by: bySystem, now });
}

/** Hears of a session that completed just before the watchdog canceled it: the rule for late reports decides. */
async function correct(
  ctx: Pick<Context, 'clock' | 'jobs'>,
  trx: Transaction<DB>,
  locked: LockedRun,
  { type, data, resource }: OutboxEvent,
): Promise<void> {
  if (type === 'session.deleted' || data['status'] !== 'completed') return;
  const { run } = locked;
  const { fencing_token, token_attempt_no: attempt_no } = run;
  if (judge(run, { fencing_token, attempt_no, status: 'succeeded' }).kind !== 'correct') return;
  const { summary } = await readResult(trx, run.org_id, resource.id);
  await correctAttempt(ctx, trx, locked, { by: bySystem, now: ctx.clock.now(), summary });
}

/** Returns how an attempt ended, by its session. */
async function endOf(
  trx: Transaction<DB>,
  orgId: string,
  { type, data, resource }: OutboxEvent,
): Promise<Omit<AttemptEnd, 'by' | 'now'>> {
  if (type === 'session.deleted') return { outcome: 'canceled', errorMessage: 'Its session was deleted.' };
  const { summary, errorMessage } = await readResult(trx, orgId, resource.id);
  const status = data['status'];
  if (status === 'completed') return { outcome: 'succeeded', summary };
  if (status === 'canceled') return { outcome: 'canceled', summary, errorMessage: 'Its session was canceled.' };
  const detail = data['status_detail'];
  return { outcome: 'failed', summary, errorClass: typeof detail === 'string' ? detail : '', errorMessage };
}
