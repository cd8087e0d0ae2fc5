import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { restorableMs } from './deletion-service.ts';
import { deleteTrail, listOrphans } from './trail-store.ts';
import { deleteLooseRows, deleteOrganizationRow, deleteSessions, listDue, listExisting } from './purge-store.ts';

type PurgeContext = Pick<Context, 'db' | 'clock' | 'blobs' | 'gitHost' | 'log'>;

/** What blobs are kept for; each key is `<kind>/<organization>/…`. */
const blobKinds = ['artifacts', 'checkpoints', 'attachments'] as const;

/**
 * Removes for good the organizations that were deleted 30 days ago: their blobs, repositories, rows and part of the audit
 * trail, and the people who belong to no other organization. The organization's own row goes last, so that a purge that
 * broke off is begun again; doing all of it twice does no harm.
 */
export async function purgeOrganizations(ctx: PurgeContext, signal?: AbortSignal): Promise<void> {
  const deletedBefore = new Date(ctx.clock.now().getTime() - restorableMs);
  for (const { id, slug } of await listDue(ctx.db.kysely, deletedBefore)) {
    signal?.throwIfAborted();
    try {
      await purgeOrganization(ctx, id);
      ctx.log.info({ org: id, slug }, 'purged an organization that was deleted 30 days ago');
    } catch (error) {
      // The others do not wait for it; the next round tries again.
      ctx.log.error({ org: id, reason: messageOf(error) }, 'an organization could not be purged yet');
    }
  }
  // What was written of organizations while they were purged.
  for (const orgId of await listOrphans(ctx.db.kysely)) await deleteTrail(ctx.db, orgId);
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

/** Which of these organizations are gone: what a host still keeps of them can go too. */
export async function organizationsGone(ctx: Pick<Context, 'db'>, ids: readonly string[]): Promise<string[]> {
  const existing = new Set(await listExisting(ctx.db.kysely, ids));
  return ids.filter((id) => !existing.has(id));
}
