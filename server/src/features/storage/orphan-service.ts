import type { Context } from '../../app/context.ts';
import type { RetentionRun } from '../../jobs/retention.ts';
import { messageOf } from '../../lib/errors.ts';
import { ownerOf } from './counted-blobs.ts';

type OrphanContext = Pick<Context, 'blobs' | 'clock' | 'log'>;

/** The time after which a blob that nothing refers to is no longer about to be recorded. */
export const abandonedMs = 24 * 3_600_000;
const batchSize = 500;

interface OrphanRules {
  /** Of the keys: `<kind>/`, or longer. */
  prefix: string;
  /** Newer blobs stay; undefined if none does. */
  minAgeMs?: number | ((key: string) => number | undefined);
  /** Returns those of these blobs that must stay. */
  needed(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Deletes the blobs that nothing refers to. */
export async function removeOrphans(
  ctx: OrphanContext,
  { prefix, minAgeMs, needed }: OrphanRules,
  { isDryRun, signal, report }: Pick<RetentionRun, 'isDryRun' | 'signal' | 'report'>,
): Promise<void> {
  const now = ctx.clock.now().getTime();
  const isSettled = (key: string, modifiedAt: Date): boolean => {
    const minAge = typeof minAgeMs === 'function' ? minAgeMs(key) : minAgeMs;
    return minAge === undefined || modifiedAt.getTime() <= now - minAge;
  };
  let batch: { key: string; sizeBytes: number }[] = [];
  const settle = async (): Promise<void> => {
    signal.throwIfAborted();
    const kept = batch.length === 0 ? new Set<string>() : await needed(batch.map(({ key }) => key));
    for (const { key, sizeBytes } of batch) {
      if (kept.has(key) || (!isDryRun && !(await removeBlob(ctx, key)))) continue;
      report({ orgId: ownerOf(key)?.orgId ?? '', count: 1, bytes: sizeBytes });
    }
    batch = [];
  };
  for await (const { key, sizeBytes, modifiedAt } of ctx.blobs.list(prefix)) {
    if (isSettled(key, modifiedAt)) batch.push({ key, sizeBytes });
    if (batch.length === batchSize) await settle();
  }
  await settle();
}

/** Deletes a blob; returns false if that failed: then it takes space until the next sweep. */
export async function removeBlob(ctx: Pick<Context, 'blobs' | 'log'>, key: string): Promise<boolean> {
  try {
    await ctx.blobs.delete(key);
    return true;
  } catch (error) {
    ctx.log.warn({ blob: key, reason: messageOf(error) }, 'cannot delete a blob');
    return false;
  }
}
