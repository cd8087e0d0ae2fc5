import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { recordSystemAct, type AuditFact } from '../../mutation/mutate.ts';
import { forgetRepository } from '../storage/ledger-service.ts';
import { listDue, listKept, removeRepositoryRow } from './deletion-store.ts';
import { restorableMs } from './restorable.ts';

type PurgeContext = Pick<Context, 'db' | 'clock' | 'gitHost' | 'log'>;

/** The clocks of processes differ: what one of them still restores, no other one has begun to remove. */
const clockSlackMs = 5 * 60_000;

/**
 * Removes for good the repositories that were deleted 30 days ago: their files, rows and secrets. A repository's row goes
 * last, so that a purge that broke off is begun again; doing all of it twice does no harm.
 */
export async function purgeRepositories(ctx: PurgeContext, signal?: AbortSignal): Promise<void> {
  const deletedBefore = new Date(ctx.clock.now().getTime() - restorableMs - clockSlackMs);
  for (const due of await listDue(ctx.db.kysely, deletedBefore)) {
    signal?.throwIfAborted();
    try {
      await purgeRepository(ctx, due, deletedBefore);
    } catch (error) {
      // The others do not wait for it; the next round tries again.
      ctx.log.error({ repository: due.id, reason: messageOf(error) }, 'cannot purge a repository yet');
    }
  }
}

async function purgeRepository(
  ctx: PurgeContext,
  { id, org_id: orgId, repo }: { id: string; org_id: string; repo: string },
  deletedBefore: Date,
): Promise<void> {
  await ctx.gitHost.open(orgId, id).remove();
  await forgetRepository(ctx, orgId, id);
  const removed = await ctx.db.transaction(async (trx) => {
    if (!(await removeRepositoryRow(trx, id, deletedBefore))) return false;
    const fact: AuditFact = { action: 'repository.purge', resource: { type: 'repository', id }, changes: { repo } };
    await recordSystemAct(trx, orgId, 'upkeep', fact, ctx.clock.now());
    return true;
  });
  if (removed) ctx.log.info({ org: orgId, repository: id, repo }, 'purged a repository that was deleted 30 days ago');
}

/** Which of these repositories are gone for good: what a host still keeps of them can go too. */
export async function repositoriesGone(ctx: Pick<Context, 'db'>, ids: readonly string[]): Promise<string[]> {
  const kept = new Set(await listKept(ctx.db.kysely, ids));
  return ids.filter((id) => !kept.has(id));
}
