import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { commitsNamed, listHosted } from './prune-store.ts';
import { restorableMs } from './restorable.ts';

/**
 * Removes from the repositories of the built-in host what no branch or tag has held for 30 days: what a forced push took out, a
 * secret for one, is then readable by nobody. What change requests and sessions are about stays.
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
      // The others do not wait for it; the next round tries again.
      ctx.log.error({ repository: id, reason: messageOf(error) }, 'cannot prune a repository yet');
    }
  }
}
