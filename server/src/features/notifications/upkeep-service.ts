import type { Context } from '../../app/context.ts';
import { deleteBefore } from './store.ts';

const keptMs = 24 * 60 * 60_000;

/** Deletes notifications that could not be sent for a day. */
export async function deleteOldNotifications(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  await deleteBefore(ctx.db.kysely, new Date(ctx.clock.now().getTime() - keptMs));
}
