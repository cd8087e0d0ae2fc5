import type { Context } from '../../app/context.ts';
import { deleteBeyond, deleteEnded, listOverdue, listWebhookIds } from './delivery-store.ts';

const batch = 1_000;
const keptMs = 7 * 24 * 60 * 60_000;
const mostKept = 10_000;
/** A job that is this late was lost. */
const lateMs = 60_000;

/** Deletes deliveries that ended a week ago, and of each webhook those beyond the newest 10,000. */
export async function deleteOldDeliveries(ctx: Pick<Context, 'db' | 'clock'>, signal: AbortSignal): Promise<void> {
  const { kysely } = ctx.db;
  const before = new Date(ctx.clock.now().getTime() - keptMs);
  while (!signal.aborted && (await deleteEnded(kysely, before, batch)) === batch);
  for (let after = ''; !signal.aborted;) {
    const ids = await listWebhookIds(kysely, after, batch);
    for (const id of ids) await deleteBeyond(kysely, id, mostKept);
    if (ids.length < batch) return;
    after = ids.at(-1) ?? after;
  }
}

/** Enqueues the jobs of webhooks whose due deliveries nobody sends. */
export async function wakeOverdue(ctx: Pick<Context, 'db' | 'clock' | 'jobs'>): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - lateMs);
  for (const id of await listOverdue(ctx.db.kysely, before, batch))
    await ctx.db.transaction((trx) => ctx.jobs.enqueue(trx, 'webhook', { webhook_id: id }, { singletonKey: id }));
}
