import type { Kysely, Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { notFound } from '../../lib/errors.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { agentForSession } from '../agents/service.ts';
import { lockRepository } from '../repositories/public.ts';
import { requireRepository } from '../repositories/service.ts';
import { settingsOf } from '../settings/service.ts';
import type { Policy, ReplaceReviewPolicy } from './schemas.ts';

type PolicyContext = Pick<Context, 'db' | 'clock'>;

/** Throws 404 `repository_not_found`. */
export async function getPolicy(ctx: Pick<Context, 'db'>, caller: Actor, repositoryId: string) {
  await requireRepository(ctx, caller.organization.id, repositoryId);
  return shown(ctx.db.kysely, caller.organization.id, repositoryId);
}

/** Sets the policy of a repository; omitted fields get those of the settings `reviews`. Throws 404 `repository_not_found`, `agent_not_found`. */
export async function replacePolicy(
  ctx: PolicyContext,
  caller: Caller,
  repositoryId: string,
  input: ReplaceReviewPolicy,
) {
  const orgId = caller.organization.id;
  await requireRepository(ctx, orgId, repositoryId);
  const policy: Policy = { ...(await settingsOf(ctx.db.kysely, orgId, 'reviews')), ...input };
  if (policy.agent_id !== '') await agentForSession(ctx, orgId, policy.agent_id, '');
  return mutate(ctx, caller, async (trx, audit) => {
    // One change at a time, also while there is no row.
    if (!(await lockRepository(trx, orgId, repositoryId))) throw notFound('repository', repositoryId);
    const before = await shown(trx, orgId, repositoryId);
    await requireMatch(caller, () => before);
    if (changesNothing(before, policy)) return before;
    const values = { policy: JSON.stringify(policy), updated_at: ctx.clock.now() };
    await trx
      .insertInto('review_policies')
      .values({ repository_id: repositoryId, org_id: orgId, ...values })
      .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(values))
      .execute();
    audit({
      action: 'review_policy.update',
      resource: { type: 'review_policy', id: repositoryId },
      changes: { ...policy },
    });
    return shown(trx, orgId, repositoryId);
  });
}

/** Returns the policy of a repository: its own, or else that of the settings. */
export async function policyOf(
  db: Kysely<DB> | Transaction<DB>,
  orgId: string,
  repositoryId: string,
): Promise<Policy & { updated_at: Date | null }> {
  const row = await db
    .selectFrom('review_policies')
    .select(['policy', 'updated_at'])
    .$narrowType<{ policy: Policy }>()
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return { ...(await settingsOf(db, orgId, 'reviews')), ...row?.policy, updated_at: row?.updated_at ?? null };
}

async function shown(db: Kysely<DB> | Transaction<DB>, orgId: string, repositoryId: string) {
  return { repository_id: repositoryId, ...(await policyOf(db, orgId, repositoryId)) };
}
