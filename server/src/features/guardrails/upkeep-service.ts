import type { Context } from '../../app/context.ts';
import { deleteCounts, deleteOpenings } from './admission-store.ts';

const keptMs = 2 * 24 * 60 * 60_000;

/** Deletes what no day counts any more: deleted sessions from before yesterday, and openings without an end. */
export async function deleteOldCounts(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const now = ctx.clock.now();
  await deleteCounts(ctx.db.kysely, new Date(now.getTime() - keptMs));
  await deleteOpenings(ctx.db.kysely, now);
}
