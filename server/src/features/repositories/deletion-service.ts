import type { Transaction } from 'kysely';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { lockDeleted, readUses, setDeleted } from './deletion-store.ts';
import { restorableSince } from './restorable.ts';
import { toApiShape } from './service.ts';
import { findRepositories, lockRepository, readRepository } from './store.ts';

type DeletionContext = Pick<Context, 'db' | 'clock' | 'baseUrl'>;

/**
 * Marks a repository as deleted: it is hidden until it is restored, and purged after 30 days. Its name is free at once.
 * Throws 409 `repository_in_use` unless forced.
 */
export async function deleteRepository(
  ctx: DeletionContext,
  caller: Caller,
  id: string,
  force: boolean,
): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    if (!(await lockRepository(trx, orgId, id))) throw notFound('repository', id);
    await requireMatch(caller, async () => {
      const row = await readRepository(trx, orgId, id);
      return row && toApiShape(ctx, caller, row);
    });
    if (!force) await refuseUsed(trx, orgId, id);
    const now = ctx.clock.now();
    const repo = await setDeleted(trx, orgId, id, now, now);
    audit({ action: 'repository.delete', resource: { type: 'repository', id }, changes: { repo } });
    return null;
  });
}

/** Throws 409 `repository_in_use` while a change request is open, or a session runs or waits there. */
async function refuseUsed(trx: Transaction<DB>, orgId: string, id: string): Promise<void> {
  const { open, live } = await readUses(trx, orgId, id);
  if (open + live === 0) return;
  throw new AppError(
    'repository_in_use',
    `The repository has open change requests (${open}) or active sessions (${live}). End them first, or send force=true.`,
    { open_change_requests: open, live_sessions: live },
  );
}

/**
 * Restores a deleted repository with everything that belongs to it. Throws 404 `repository_not_found` for one that was
 * deleted more than 30 days ago, 409 `conflict` for one that is not deleted, and 409 `repository_exists` if another one
 * has its name now.
 */
export async function restoreRepository(ctx: DeletionContext, caller: Caller, id: string) {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const deleted = await lockDeleted(trx, orgId, id, restorableSince(ctx));
    if (deleted === undefined) {
      const there = await readRepository(trx, orgId, id);
      if (there === undefined) throw notFound('repository', id);
      throw new AppError('conflict', `The repository ${there.repo} was not deleted.`);
    }
    const [other] = await findRepositories(trx, orgId, deleted.repo, deleted.provider);
    if (other !== undefined) throw nameIsTaken(other);
    const repo = await setDeleted(trx, orgId, id, null, ctx.clock.now());
    audit({ action: 'repository.restore', resource: { type: 'repository', id }, changes: { repo } });
    const row = await readRepository(trx, orgId, id);
    if (row === undefined) throw notFound('repository', id);
    return toApiShape(ctx, caller, row);
  });
}

function nameIsTaken({ id, repo }: { id: string; repo: string }): AppError {
  return new AppError(
    'repository_exists',
    `Another repository (${id}) now has the name ${repo}. Delete that one first (it can be restored for 30 days, too), then restore this one.`,
    { repository_id: id },
  );
}
