import type { Context } from '../../../app/context.ts';
import { messageOf } from '../../../lib/errors.ts';
import { blobsOf } from './checkpoint-parts.ts';
import { latestCheckpoints, readLease } from '../store/run-store.ts';

type SweepContext = Pick<Context, 'db' | 'blobs' | 'log'>;

const keyOfRun = /^checkpoints\/([^/]+)\/([^/]+)\/(\d+)-[^/]+$/;

/**
 * Removes the blobs that no checkpoint needs: what was superseded when a worker was lost, and what one put there and could
 * not record. `within` is `''` for all, or `<organization>/<session>/`. What a run that holds its session put there is its
 * own matter, and what belongs to no session that is known here is left alone.
 */
export async function sweepCheckpoints(ctx: SweepContext, within = ''): Promise<void> {
  let session = '';
  let keys: { key: string; fence: number }[] = [];
  for await (const { key } of ctx.blobs.list(`checkpoints/${within}`)) {
    const [, , id = '', fence] = keyOfRun.exec(key) ?? [];
    if (id !== session) {
      await sweepSession(ctx, session, keys);
      session = id;
      keys = [];
    }
    keys.push({ key, fence: Number(fence) });
  }
  await sweepSession(ctx, session, keys);
}

/** A key of an earlier fence, or of a run that is over, can be named by no checkpoint that is yet to come. */
async function sweepSession(
  ctx: SweepContext,
  id: string,
  keys: readonly { key: string; fence: number }[],
): Promise<void> {
  if (id === '') return;
  // Read in this order: what is named after the lease was looked at is named by a run that the lease shows, or a later one.
  const lease = await readLease(ctx.db.kysely, id);
  if (lease === undefined) return;
  const needed = new Set((await latestCheckpoints(ctx.db.kysely, id)).flatMap(blobsOf));
  for (const { key, fence } of keys) {
    const isOver = fence < lease.fence || (fence === lease.fence && lease.lease_owner === '');
    if (!isOver || needed.has(key)) continue;
    await ctx.blobs.delete(key).catch((error: unknown) => {
      ctx.log.warn({ key, reason: messageOf(error) }, 'cannot delete a superseded blob');
    });
  }
}
