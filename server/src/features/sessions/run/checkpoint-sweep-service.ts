import type { Context } from '../../../app/context.ts';
import type { RetentionRun } from '../../../jobs/retention.ts';
import { abandonedMs, removeOrphans } from '../../storage/orphan-service.ts';
import { blobsOf } from './checkpoint-parts.ts';
import { latestCheckpoints, readLease } from '../store/run-store.ts';

type SweepContext = Pick<Context, 'db' | 'blobs' | 'clock' | 'log'>;

const keyOfRun = /^checkpoints\/([^/]+)\/([^/]+)\/(\d+)-[^/]+$/;

/** Deletes the blobs of one session that no checkpoint needs, like {@link removeOldCheckpoints}. */
export async function sweepCheckpoints(ctx: SweepContext, { orgId, id }: { orgId: string; id: string }): Promise<void> {
  const signal = new AbortController().signal;
  await sweep(ctx, `checkpoints/${orgId}/${id}/`, { isDryRun: false, signal, report: () => undefined });
}

/**
 * Deletes blobs that no checkpoint needs: superseded ones of lost workers, unrecorded ones, and those of deleted
 * sessions. Skips blobs of the current run.
 */
export async function removeOldCheckpoints(ctx: SweepContext, run: RetentionRun): Promise<void> {
  await sweep(ctx, `checkpoints/${run.orgId === '' ? '' : `${run.orgId}/`}`, run);
}

async function sweep(
  ctx: SweepContext,
  prefix: string,
  run: Pick<RetentionRun, 'isDryRun' | 'signal' | 'report'>,
): Promise<void> {
  const needed = async (keys: readonly string[]): Promise<Set<string>> => {
    const kept = new Set<string>();
    for (const [id, own] of Map.groupBy(keys, (key) => keyOfRun.exec(key)?.[2] ?? ''))
      for (const key of await neededOf(ctx, id, own)) kept.add(key);
    return kept;
  };
  // The fencing token tells a blob that is about to be recorded, so it may be of any age. A fork's first ones precede it.
  const minAgeMs = (key: string) => (keyOfRun.exec(key)?.[3] === '0' ? abandonedMs : undefined);
  await removeOrphans(ctx, { prefix, minAgeMs, needed }, run);
}

/**
 * Returns those blobs of a session that must stay. A future checkpoint cannot name a key of an earlier fencing token, or
 * of a run that is over.
 */
async function neededOf(ctx: SweepContext, id: string, keys: readonly string[]): Promise<readonly string[]> {
  // Not a key of a checkpoint.
  if (id === '') return keys;
  // The order matters: a blob that is named after the lease was read belongs to that run, or to a later one.
  const lease = await readLease(ctx.db.kysely, id);
  if (lease === undefined) return [];
  const needed = new Set((await latestCheckpoints(ctx.db.kysely, id)).flatMap(blobsOf));
  return keys.filter((key) => {
    const fence = Number(keyOfRun.exec(key)?.[3]);
    const isOver = fence < lease.fence || (fence === lease.fence && lease.lease_owner === '');
    return !isOver || needed.has(key);
  });
}
