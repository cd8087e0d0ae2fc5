import type { Context } from '../../../app/context.ts';
import { messageOf } from '../../../lib/errors.ts';
import { blobsOf } from './checkpoint-parts.ts';
import { latestCheckpoints, readLease } from '../store/run-store.ts';

type SweepContext = Pick<Context, 'db' | 'blobs' | 'log'>;

const keyOfRun = /^checkpoints\/([^/]+)\/([^/]+)\/(\d+)-[^/]+$/;

/**
 * Deletes blobs that no checkpoint needs: superseded ones of lost workers, and unrecorded ones. `within` is `''` for
 * all, or `<organization>/<session>/`. Skips blobs of the current run, and of unknown sessions.
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

/**
 * Sweeps the blobs of a session. A future checkpoint cannot name a key of an earlier fencing token, or of a run that is
 * over.
 */
async function sweepSession(
  ctx: SweepContext,
  id: string,
  keys: readonly { key: string; fence: number }[],
): Promise<void> {
  if (id === '') return;
  // The order matters: a blob that is named after the lease was read belongs to that run, or to a later one.
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
