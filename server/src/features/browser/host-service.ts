import type { Context } from '../../app/context.ts';
import { endBrowserSessions, listOpenOf, listStanding, tidyBrowserSessions, writeBrowserSlots } from './store.ts';

type HostContext = Pick<Context, 'db' | 'clock'>;

/** How long a browser may take to start before its place is given up. */
const openingMs = 60_000;

/** The sessions whose browsers a worker is to run; those that are over in other ways than by their end are ended. */
export async function standingBrowserSessions(ctx: HostContext, worker: string): Promise<Set<string>> {
  const now = ctx.clock.now();
  const [open, standing] = [await listOpenOf(ctx.db.kysely, worker), await listStanding(ctx.db.kysely, worker, now)];
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

/** Says that browsers are gone. */
export async function browsersEnded(ctx: HostContext, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await endBrowserSessions(ctx.db.kysely, ids, ctx.clock.now());
}

/** Says how many browsers a worker can run at once, and why none. */
export async function browserSlots(
  ctx: Pick<Context, 'db'>,
  worker: string,
  slots: { slots: number; problem: string },
): Promise<void> {
  await writeBrowserSlots(ctx.db.kysely, worker, slots);
}

/** Ends what lost workers left, and forgets what is long over. */
export async function tidyBrowsers(ctx: HostContext): Promise<void> {
  await tidyBrowserSessions(ctx.db, ctx.clock.now());
}
