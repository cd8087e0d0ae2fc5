import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { recordSystemAct, type AuditFact } from '../../mutation/mutate.ts';
import { deleteRepositoryBytes } from '../storage/ledger-service.ts';
import { listDue, listKept, removeRepositoryRow } from './deletion-store.ts';
import { restorableMs } from './restorable.ts';
import { discardUnrecorded } from './unrecorded-service.ts';

type PurgeContext = Pick<Context, 'db' | 'clock' | 'gitHost' | 'log'>;

/** A margin for clock differences: a repository that one process can still restore must not be purged by another. */
const clockSlackMs = 5 * 60_000;

/** A repository is made and recorded long before that. */
const leftoverMs = 3_600_000;

/**
 * Purges repositories that were deleted 30 days ago: their files, rows and secrets. A repository's row goes last, so
 * that an interrupted purge starts again; repeating all of it is harmless. Also removes what ended processes left of new
 * repositories and imports.
 */
export async function purgeRepositories(ctx: PurgeContext, signal?: AbortSignal): Promise<void> {
  const leftBefore = new Date(ctx.clock.now().getTime() - leftoverMs);
  await discardUnrecorded(ctx, leftBefore, signal);
  await ctx.gitHost.removeLeftovers(leftBefore);
  const deletedBefore = new Date(ctx.clock.now().getTime() - restorableMs - clockSlackMs);
  for (const due of await listDue(ctx.db.kysely, deletedBefore)) {
    signal?.throwIfAborted();
    try {
      await purgeRepository(ctx, due, deletedBefore);
    } catch (error) {
      // One failure does not block the others; the next round retries.
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
  await deleteRepositoryBytes(ctx, orgId, id);
  const removed = await ctx.db.transaction(async (trx) => {
    if (!(await removeRepositoryRow(trx, id, deletedBefore))) return false;
    const fact: AuditFact = { action: 'repository.purge', resource: { type: 'repository', id }, changes: { repo } };
    await recordSystemAct(trx, orgId, 'upkeep', fact, ctx.clock.now());
    return true;
  });
  if (removed) ctx.log.info({ org: orgId, repository: id, repo }, 'purged a repository that was deleted 30 days ago');
}

/** Returns those of these repositories that no longer exist, so that a host can delete its files of them. */
export async function missingRepositories(ctx: Pick<Context, 'db'>, ids: readonly string[]): Promise<string[]> {
  const kept = new Set(await listKept(ctx.db.kysely, ids));
  return ids.filter((id) => !kept.has(id));
}
