import type { Context } from '../../app/context.ts';
import { endBrowserSessions, listOpenOf, listRunnable, reapBrowserSessions, writeBrowserSlots } from './store.ts';

type HostContext = Pick<Context, 'db' | 'clock'>;

/** The time in milliseconds after which a browser that has not started loses its slot. */
const openingMs = 60_000;

/** Returns the sessions whose browsers a worker must run; ends those that are over for another reason. */
export async function browsersToRun(ctx: HostContext, worker: string): Promise<Set<string>> {
  const now = ctx.clock.now();
  const [open, standing] = [await listOpenOf(ctx.db.kysely, worker), await listRunnable(ctx.db.kysely, worker, now)];
  const kept = new Set(
    standing
      .filter(({ opened, created_at }) => opened || now.getTime() - created_at.getTime() < openingMs)
      .map(({ id }) => id),
  );
  await browsersEnded(
    ctx,
    open.filter((id) => !kept.has(id)),
  );
  return kept;
}

/** Records that browsers have ended, with the problem for their users if they did so by themselves. */
export async function browsersEnded(ctx: HostContext, ids: readonly string[], problem = ''): Promise<void> {
  if (ids.length > 0) await endBrowserSessions(ctx.db.kysely, ids, ctx.clock.now(), problem);
}

/** Records how many browsers a worker can run at once, or why it cannot run any. */
export async function browserSlots(
  ctx: Pick<Context, 'db'>,
  worker: string,
  slots: { slots: number; problem: string },
): Promise<void> {
  await writeBrowserSlots(ctx.db.kysely, worker, slots);
}

/** Ends browsers of lost workers, and deletes old sessions. */
export async function reapBrowsers(ctx: HostContext): Promise<void> {
  await reapBrowserSessions(ctx.db, ctx.clock.now());
}
