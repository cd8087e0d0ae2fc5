import type { Context } from '../../app/context.ts';
import { GuardrailBlocked, limitFinding, rulesOf, type GuardedRepository } from './admission-service.ts';
import { countOpen, deleteOpening, hasOpen, insertOpening, lockCounts } from './admission-store.ts';

type OpeningContext = Pick<Context, 'db' | 'clock'>;

/** A process that ends while it opens a change request holds its place for this time. */
const heldMs = 5 * 60_000;

/**
 * Opens and records a change request of a session. It is counted before, so that of concurrent ones exactly the allowed number
 * succeeds; one that is open already is only updated. Throws {@link GuardrailBlocked}.
 */
export async function whileOpening<T>(
  ctx: OpeningContext,
  orgId: string,
  { repository, headRef }: { repository: GuardedRepository; headRef: string },
  open: () => Promise<T>,
): Promise<T> {
  if (!(await holdOpening(ctx, orgId, repository, headRef))) return open();
  try {
    return await open();
  } finally {
    await deleteOpening(ctx.db.kysely, repository.id, headRef);
  }
}

/** Returns false if nothing needs to be counted. */
async function holdOpening(
  ctx: OpeningContext,
  orgId: string,
  repository: GuardedRepository,
  headRef: string,
): Promise<boolean> {
  const [guarded] = await rulesOf(ctx.db.kysely, orgId, [repository]);
  const allowed = guarded?.rules.max_open_change_requests ?? 0;
  if (allowed === 0) return false;
  const now = ctx.clock.now();
  return ctx.db.transaction(async (trx) => {
    await lockCounts(trx, orgId, repository.id);
    if (await hasOpen(trx, orgId, repository.id, headRef)) return false;
    const used = await countOpen(trx, orgId, repository.id, { headRef, now });
    if (used >= allowed)
      throw new GuardrailBlocked(
        limitFinding('max_open_change_requests', 'change_request', repository, { used, allowed }),
        repository,
      );
    const heldUntil = new Date(now.getTime() + heldMs);
    await insertOpening(trx, { orgId, repositoryId: repository.id, headRef, heldUntil });
    return true;
  });
}
