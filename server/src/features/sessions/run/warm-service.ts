import { admitWarm } from '../dispatch/dispatch-service.ts';
import { LeaseLost, type Run, type RunContext, type SessionRow } from './run-service.ts';
import { lockRun } from '../store/run-store.ts';
import { readWithQueue, workUntilNow } from '../store/session-store.ts';
import { byRun, moveSession } from '../store/transition-store.ts';

/** A warm session that must continue, in its current state. */
export interface WokenSession {
  session: SessionRow;
  /** True if a message is queued. */
  waiting: boolean;
}

/**
 * Returns whether a warm session must continue; undefined if not. `waits` if it must queue like any other, because no
 * slot is free or others come first. Throws {@link LeaseLost}.
 */
export async function wakeWarm(
  ctx: RunContext,
  run: Run,
  { hasSlot = true } = {},
): Promise<WokenSession | 'waits' | undefined> {
  const row = await readWithQueue(ctx.db.kysely, run.orgId, run.id);
  if (row === undefined || row.fence !== run.fence) throw new LeaseLost(run.id);
  const { hasQueued: waiting, ...session } = row;
  if (session.status !== 'queued' && session.status !== 'running') return undefined;
  // If limits apply to another turn, the session is no longer kept.
  if (!session.dispatched && !hasSlot) return 'waits';
  const admitted = session.dispatched ? { inGroups: session.in_groups } : await admitWarm(ctx, run);
  if (admitted === 'not_its_turn') return 'waits';
  if (admitted === undefined) throw new LeaseLost(run.id);
  return { session: { ...session, in_groups: admitted.inGroups }, waiting };
}

/** Gives up a warm session. If it must continue by now, any worker can claim it. */
export async function releaseWarm(ctx: RunContext, run: Run): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const row = await lockRun(trx, run.id, run.fence);
    if (row === undefined) return;
    await moveSession(trx, row, { event: 'release', by: byRun(run), change: workUntilNow() });
  });
}
