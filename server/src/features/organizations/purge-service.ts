import type { Context } from '../../app/context.ts';
import { isConflict } from '../../db/conflict.ts';
import { messageOf } from '../../lib/errors.ts';
import { backoffMs, retry } from '../../lib/retry.ts';
import { restorableMs } from './deletion-service.ts';
import { deleteTrail, listOrphans } from './trail-store.ts';
import { deleteLooseRows, deleteOrganizationRow, deleteSessions, listDue, listExisting } from './purge-store.ts';

type PurgeContext = Pick<Context, 'db' | 'clock' | 'blobs' | 'gitHost' | 'log'>;

/** Owners of blobs; each key is `<kind>/<organization>/…`. */
const blobKinds = ['artifacts', 'checkpoints', 'attachments', 'deliveries'] as const;

/** The number of times that a purge starts again at once after a conflict with other transactions; the next round is an hour later. */
const maxConflicts = 5;
const pauses = { firstMs: 50, maxMs: 1_000 };

/**
 * Purges organizations that were deleted 30 days ago: their blobs, repositories, rows and audit log, and the users who belong to
 * no other organization. The organization's own row goes last, so that an interrupted purge starts again; repeating all of it is
 * harmless.
 */
export async function purgeOrganizations(ctx: PurgeContext, signal?: AbortSignal): Promise<void> {
  const deletedBefore = new Date(ctx.clock.now().getTime() - restorableMs);
  for (const { id, slug } of await listDue(ctx.db.kysely, deletedBefore)) {
    signal?.throwIfAborted();
    try {
      await purgeDespiteConflicts(ctx, id, signal);
      ctx.log.info({ org: id, slug }, 'purged an organization that was deleted 30 days ago');
    } catch (error) {
      // Others do not wait for it; the next round retries.
      ctx.log.error({ org: id, reason: messageOf(error) }, 'cannot purge an organization yet');
    }
  }
  // Audit entries that were written while an organization was purged.
  for (const orgId of await listOrphans(ctx.db.kysely)) await deleteTrail(ctx.db, orgId);
}

/** Consumers of domain events may still write about the organization, and lock rows in another order. */
async function purgeDespiteConflicts(ctx: PurgeContext, orgId: string, signal?: AbortSignal): Promise<void> {
  const delayMs = (error: unknown, failures: number): number | undefined =>
    isConflict(error) && failures <= maxConflicts ? backoffMs(failures, pauses) : undefined;
  await retry(() => purgeOrganization(ctx, orgId), delayMs, signal);
}

async function purgeOrganization(ctx: PurgeContext, orgId: string): Promise<void> {
  for (const kind of blobKinds)
    for await (const { key } of ctx.blobs.list(`${kind}/${orgId}/`)) await ctx.blobs.delete(key);
  await ctx.gitHost.removeAll(orgId);
  await deleteSessions(ctx.db, orgId);
  await deleteLooseRows(ctx.db, orgId);
  await deleteTrail(ctx.db, orgId);
  await deleteOrganizationRow(ctx.db, orgId);
}

/** Returns those of these organizations that no longer exist, so that a host can delete its files of them. */
export async function missingOrganizations(ctx: Pick<Context, 'db'>, ids: readonly string[]): Promise<string[]> {
  const existing = new Set(await listExisting(ctx.db.kysely, ids));
  return ids.filter((id) => !existing.has(id));
}
