import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { commitsNamed, listHosted } from './prune-store.ts';
import { restorableMs } from './restorable.ts';

/**
 * Removes objects from repositories of the built-in host that no branch or tag has referenced for 30 days, such as a
 * secret that a forced push removed. Keeps the commits of change requests and sessions.
 */
export async function pruneRepositories(
  ctx: Pick<Context, 'db' | 'clock' | 'gitHost' | 'log'>,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - restorableMs);
  for (const { id, org_id: orgId } of await listHosted(ctx.db.kysely)) {
    signal?.throwIfAborted();
    try {
      const keep = () => commitsNamed(ctx.db.kysely, orgId, id);
      if (await ctx.gitHost.open(orgId, id).prune(before, keep))
        ctx.log.info({ org: orgId, repository: id }, 'pruned git objects that a repository lost 30 days ago');
    } catch (error) {
      // One failure does not block the others; the next round retries.
      ctx.log.error({ repository: id, reason: messageOf(error) }, 'cannot prune a repository yet');
    }
  }
}
