import type { Context } from '../../../app/context.ts';
import { admitKept } from '../dispatch/dispatch-service.ts';
import { hasQueuedMessages } from '../store/message-store.ts';
import { LeaseLost, type Run, type RunContext, type SessionRow } from './run-service.ts';
import { lockRun } from '../store/run-store.ts';
import { readSession, workUntilNow } from '../store/session-store.ts';
import { byRun, moveSession } from '../store/transition-store.ts';

/** A session that was kept and is wanted again, as it is now. */
export interface Wanted {
  session: SessionRow;
  /** Whether somebody said something. */
  waiting: boolean;
}

/**
 * Whether a session that was kept is wanted again; undefined while it is not. `waits` when it has to wait for its turn like
 * any other, because there is no slot for it or others come first. Throws {@link LeaseLost}.
 */
export async function wakeKept(
  ctx: RunContext,
  run: Run,
  { hasSlot = true } = {},
): Promise<Wanted | 'waits' | undefined> {
  const session = await readSession(ctx.db.kysely, run.orgId, run.id);
  if (session === undefined || session.fence !== run.fence) throw new LeaseLost(run.id);
  if (session.status !== 'queued' && session.status !== 'running') return undefined;
  // Limits may have a say in another turn: then it is no longer kept.
  if (!session.dispatched && !hasSlot) return 'waits';
  const admitted = session.dispatched ? { inGroups: session.in_groups } : await admitKept(ctx, run);
  if (admitted === 'not_its_turn') return 'waits';
  if (admitted === undefined) throw new LeaseLost(run.id);
  // After the session: the message that woke it came with its status, and begins a turn.
  const waiting = await hasQueuedMessages(ctx.db.kysely, run.id);
  return { session: { ...session, in_groups: admitted.inGroups }, waiting };
}

/** Gives up a session that was kept. One that is wanted by now is left to any worker. */
export async function giveUpKept(ctx: RunContext & Pick<Context, 'jobs'>, run: Run): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const row = await lockRun(trx, run.id, run.fence);
    if (row === undefined) return;
    await moveSession(trx, row, { event: 'release', by: byRun(run), change: workUntilNow(), jobs: ctx.jobs });
  });
}
