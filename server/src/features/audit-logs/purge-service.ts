import type { Context } from '../../context.ts';
import { deleteTrail, listOrphans } from './purge-store.ts';

/** Removes the trail of an organization that is being deleted; the database refuses it for any other. */
export async function purgeAuditTrail(ctx: Pick<Context, 'db'>, orgId: string): Promise<void> {
  await deleteTrail(ctx.db, orgId);
}

/** Removes what was written of organizations while they were purged. */
export async function purgeOrphanedTrails(ctx: Pick<Context, 'db'>): Promise<void> {
  for (const orgId of await listOrphans(ctx.db.kysely)) await deleteTrail(ctx.db, orgId);
}
