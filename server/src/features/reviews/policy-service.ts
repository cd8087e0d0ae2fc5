import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
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

/** Sets the policy of a repository; omitted fields follow the settings `reviews`. Throws 404 `repository_not_found`, `agent_not_found`. */
export async function replacePolicy(
  ctx: PolicyContext,
  caller: Caller,
  repositoryId: string,
  input: ReplaceReviewPolicy,
) {
  const orgId = caller.organization.id;
  await requireRepository(ctx, orgId, repositoryId);
  const { agent_id: agentId = '' } = input;
  // One that was deleted since must not prevent a change of other fields.
  if (agentId !== '' && agentId !== (await policyOf(ctx.db.kysely, orgId, repositoryId)).agent_id)
    await agentForSession(ctx, orgId, agentId, '');
  return mutate(ctx, caller, async (trx, audit) => {
    // One change at a time, also while there is no row.
    if (!(await lockRepository(trx, orgId, repositoryId))) throw notFound('repository', repositoryId);
    const before = await shown(trx, orgId, repositoryId);
    await requireMatch(caller, () => before);
    if (isDeepStrictEqual((await readOwn(trx, orgId, repositoryId))?.policy ?? {}, input)) return before;
    const values = { policy: JSON.stringify(input), updated_at: ctx.clock.now() };
    await trx
      .insertInto('review_policies')
      .values({ repository_id: repositoryId, org_id: orgId, ...values })
      .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(values))
      .execute();
    audit({
      action: 'review_policy.update',
      resource: { type: 'review_policy', id: repositoryId },
      changes: { ...input },
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
  const row = await readOwn(db, orgId, repositoryId);
  return { ...(await settingsOf(db, orgId, 'reviews')), ...row?.policy, updated_at: row?.updated_at ?? null };
}

/** Returns the fields that the policy of a repository has itself; undefined without a policy. */
async function readOwn(db: Kysely<DB> | Transaction<DB>, orgId: string, repositoryId: string) {
  return db
    .selectFrom('review_policies')
    .select(['policy', 'updated_at'])
    .$narrowType<{ policy: Partial<Policy> }>()
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
}

async function shown(db: Kysely<DB> | Transaction<DB>, orgId: string, repositoryId: string) {
  return { repository_id: repositoryId, ...(await policyOf(db, orgId, repositoryId)) };
}
