import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../../app/context.ts';
import { recordSystemAct } from '../../../mutation/mutate.ts';
import type { Consumer } from '../../../outbox/consumer.ts';
import { mayRun } from '../../auth/actors.ts';
import { appendEvents } from '../store/log-store.ts';
import { listActiveOf } from '../store/rest-store.ts';
import { lockSession, notifyControl, updateSessionRow } from '../store/session-store.ts';
import { bySystem, moveSession } from '../store/transition-store.ts';
import { findTransition } from '../store/transitions.ts';

type CreatorContext = Pick<Context, 'db' | 'clock' | 'jobs'>;

const Creator = Type.Object({
  org_id: Type.String(),
  type: Type.Enum(['user', 'service_user', 'app']),
  id: Type.String(),
});

const warning = {
  kind: 'warning',
  data: {
    code: 'creator_gone',
    message:
      'Its creator may not run sessions any more, so the session is suspended and its work is saved. ' +
      'Resume it or send it a message to continue.',
  },
} as const;

/** Looks at the sessions of a principal that may have lost the right to run them. */
export const watchCreators: Consumer<CreatorContext> = {
  name: 'sessions.creators',
  types: ['member.deleted', 'member.updated', 'service_user.disabled', 'app.deleted'],
  handle: async (ctx, trx, events) => {
    for (const { orgId, resource } of events) {
      const creator = { org_id: orgId, type: resource.type, id: resource.id };
      await ctx.jobs.enqueue(trx, 'session_creator', creator, { singletonKey: `${orgId} ${resource.id}` });
    }
  },
};

export function startCreatorWatch(ctx: CreatorContext): void {
  ctx.jobs.work('session_creator', { concurrency: 2 }, async ({ data }) => {
    if (Value.Check(Creator, data)) await suspendSessionsOf(ctx, data.org_id, data);
  });
}

/**
 * Suspends the active sessions of a principal that may not run them, with their work; returns their number. Whoever resumes
 * one takes it over, so it is not suspended again.
 */
async function suspendSessionsOf(
  ctx: Pick<Context, 'db' | 'clock'>,
  orgId: string,
  creator: { type: 'user' | 'service_user' | 'app'; id: string },
): Promise<number> {
  if (await mayRun(ctx.db.kysely, orgId, creator)) return 0;
  const ids = await listActiveOf(ctx.db.kysely, orgId, creator);
  for (const id of ids) await suspendOne(ctx, orgId, id);
  return ids.length;
}

async function suspendOne(ctx: Pick<Context, 'db' | 'clock'>, orgId: string, id: string): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const session = await lockSession(trx, orgId, id);
    if (session === undefined || findTransition(session.status, 'set_aside') === undefined) return;
    const now = ctx.clock.now();
    if (session.held) {
      // Its worker saves the work first.
      await appendEvents(trx, id, null, [warning]);
      await updateSessionRow(trx, id, { suspend_requested: true, updated_at: now });
    } else {
      const change = { waits_for: '' };
      await moveSession(trx, session, {
        event: 'set_aside',
        by: bySystem,
        detail: 'user_request',
        change,
        events: [warning],
      });
    }
    await notifyControl(trx, id);
    await recordSystemAct(trx, orgId, 'upkeep', { action: 'session.suspend', resource: { type: 'session', id } }, now);
  });
}
