import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { deleteRepositoryBytes } from '../storage/ledger-service.ts';
import { listKept } from './deletion-store.ts';
import { tryLockNew } from './unrecorded-store.ts';

type UnrecordedContext = Pick<Context, 'db' | 'gitHost' | 'log'>;

/**
 * Discards what was begun before an instant by processes that ended before they recorded it. A repository that was ever
 * recorded has no mark, so it stays also where the database is an older backup.
 */
export async function discardUnrecorded(ctx: UnrecordedContext, before: Date, signal?: AbortSignal): Promise<void> {
  for (const { orgId, repositoryId } of await ctx.gitHost.unrecorded(before)) {
    signal?.throwIfAborted();
    await discardNew(ctx, orgId, repositoryId);
  }
}

/**
 * Discards a new repository unless it is recorded. Whoever records it meanwhile holds a lock; later, they find that it is gone.
 * Never rejects: the next purge tries again.
 */
export async function discardNew(ctx: UnrecordedContext, orgId: string, id: string): Promise<void> {
  const hosted = ctx.gitHost.open(orgId, id);
  try {
    const remove = await ctx.db.transaction(async (trx) => {
      if (!(await tryLockNew(trx, id))) return 'busy';
      return (await listKept(trx, [id])).length > 0 ? 'recorded' : hosted.discard();
    });
    if (remove === 'busy') return;
    if (remove !== 'recorded') {
      await remove();
      await deleteRepositoryBytes(ctx, orgId, id);
      ctx.log.info({ org: orgId, repository: id }, 'removed what was left of a new repository');
    }
    await hosted.noteRecorded();
  } catch (error) {
    ctx.log.error({ repository: id, reason: messageOf(error) }, 'cannot remove what is left of a new repository yet');
  }
}
