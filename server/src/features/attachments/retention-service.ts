import type { Context } from '../../app/context.ts';
import type { RetentionRun } from '../../jobs/retention.ts';
import { recordSystemAct } from '../../mutation/mutate.ts';
import { retentionWindows } from '../settings/retention-service.ts';
import { abandonedMs, removeBlob, removeOrphans } from '../storage/orphan-service.ts';
import { deleteAttachments, listOldAttachments, lockUnused, usedAttachments } from './retention-store.ts';
import { blobOf } from './service.ts';
import { existingAttachments } from './store.ts';

type RetentionContext = Pick<Context, 'db' | 'clock' | 'blobs' | 'log'>;
type OldAttachment = Awaited<ReturnType<typeof listOldAttachments>>[number];

/** The number of attachments that one transaction deletes. */
const batchSize = 100;

/** Deletes the attachments that are older than the setting `retention.attachments_days` and that no session uses. */
export async function removeOldAttachments(ctx: RetentionContext, run: RetentionRun): Promise<void> {
  for (const { orgId, before } of await retentionWindows(ctx, 'attachments_days', run.orgId))
    for (let after = ''; ;) {
      run.signal.throwIfAborted();
      const old = await listOldAttachments(ctx.db.kysely, { orgId, after, before, limit: batchSize });
      const last = old.at(-1);
      if (last === undefined) break;
      const removed = run.isDryRun ? await unused(ctx, old) : await removeUnused(ctx, orgId, old);
      run.report({ orgId, count: removed.length, bytes: removed.reduce((sum, { size_bytes }) => sum + size_bytes, 0) });
      after = last.id;
    }
}

async function unused(ctx: RetentionContext, old: readonly OldAttachment[]): Promise<OldAttachment[]> {
  const used = await usedAttachments(
    ctx.db.kysely,
    old.map(({ id }) => id),
  );
  return old.filter(({ id }) => !used.has(id));
}

/** Deletes the rows, then the blobs: a blob that a crash leaves is an orphan. */
async function removeUnused(
  ctx: RetentionContext,
  orgId: string,
  old: readonly OldAttachment[],
): Promise<OldAttachment[]> {
  const removed = await ctx.db.transaction(async (trx) => {
    // Whoever begins to use one holds its row until the reference is stored, so the order matters.
    const locked = await lockUnused(
      trx,
      old.map(({ id }) => id),
    );
    const used = locked.length === 0 ? new Set<string>() : await usedAttachments(trx, locked);
    const ids = new Set(locked.filter((id) => !used.has(id)));
    if (ids.size === 0) return [];
    await deleteAttachments(trx, [...ids]);
    const rows = old.filter(({ id }) => ids.has(id));
    for (const { id, name } of rows) {
      const fact = { action: 'attachment.delete', resource: { type: 'attachment', id }, changes: { name } } as const;
      await recordSystemAct(trx, orgId, 'upkeep', fact, ctx.clock.now());
    }
    return rows;
  });
  for (const { id } of removed) await removeBlob(ctx, blobOf(orgId, id));
  return removed;
}

/** Deletes blobs that interrupted uploads and deletions left in the blob store. */
export async function removeLostAttachments(ctx: RetentionContext, run: RetentionRun): Promise<void> {
  const needed = async (keys: readonly string[]): Promise<Set<string>> => {
    const there = await existingAttachments(ctx.db.kysely, keys.map(idOf));
    return new Set(keys.filter((key) => there.has(idOf(key))));
  };
  const prefix = `attachments/${run.orgId === '' ? '' : `${run.orgId}/`}`;
  await removeOrphans(ctx, { prefix, minAgeMs: abandonedMs, needed }, run);
}

function idOf(key: string): string {
  return key.split('/').at(-1) ?? '';
}
