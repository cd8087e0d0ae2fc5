import type { Context } from '../../app/context.ts';
import type { RetentionRun } from '../../jobs/retention.ts';
import { abandonedMs, removeBlob, removeOrphans } from '../storage/orphan-service.ts';
import { blobOf, deleteDeliveries, listOldDeliveries, unreadDeliveries } from './store.ts';

type RetentionContext = Pick<Context, 'db' | 'clock' | 'blobs' | 'log'>;

/** The ids of deliveries are remembered for so long: hosts deliver again for at most three days. */
const keptMs = 14 * 86_400_000;
const batchSize = 500;

/** Deletes old deliveries. */
export async function removeOldDeliveries(ctx: RetentionContext, run: RetentionRun): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - keptMs);
  for (;;) {
    run.signal.throwIfAborted();
    const old = await listOldDeliveries(ctx.db.kysely, run.orgId, before, batchSize);
    for (const { org_id: orgId } of old) run.report({ orgId, count: 1, bytes: 0 });
    if (run.isDryRun) return;
    await deleteDeliveries(
      ctx.db.kysely,
      old.map(({ id }) => id),
    );
    for (const { org_id: orgId, id } of old) await removeBlob(ctx, blobOf(orgId, id));
    if (old.length < batchSize) return;
  }
}

/** Deletes bodies that a crash left in the blob store. */
export async function removeLostBodies(ctx: RetentionContext, run: RetentionRun): Promise<void> {
  const idOf = (key: string): string => key.split('/').at(-1) ?? '';
  const needed = async (keys: readonly string[]): Promise<Set<string>> => {
    const unread = await unreadDeliveries(ctx.db.kysely, keys.map(idOf));
    return new Set(keys.filter((key) => unread.has(idOf(key))));
  };
  const prefix = `deliveries/${run.orgId === '' ? '' : `${run.orgId}/`}`;
  await removeOrphans(ctx, { prefix, minAgeMs: abandonedMs, needed }, run);
}
