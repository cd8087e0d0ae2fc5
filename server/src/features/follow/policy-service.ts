import type { Kysely, Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { lockRepository } from '../repositories/public.ts';
import { requireRepository } from '../repositories/service.ts';
import { enqueueLooks } from './enqueue.ts';
import { defaultPolicy, type Policy, type ReplaceFollowPolicy } from './schemas.ts';
import { readFollow } from './store.ts';

/** Throws 404 `repository_not_found`. */
export async function getPolicy(ctx: Pick<Context, 'db'>, caller: Actor, repositoryId: string) {
  await requireRepository(ctx, caller.organization.id, repositoryId);
  return shown(ctx.db.kysely, caller.organization.id, repositoryId);
}

/** Sets the policy of a repository; omitted fields get their defaults. Throws 404 `repository_not_found`. */
export async function replacePolicy(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  caller: Caller,
  repositoryId: string,
  input: ReplaceFollowPolicy,
) {
  const orgId = caller.organization.id;
  const policy = { ...defaultPolicy, ...input };
  const { provider } = await requireRepository(ctx, orgId, repositoryId);
  if (policy.mentions === 'start' && provider === builtInProvider)
    throw fieldError(
      '/mentions',
      'must be off: the built-in git host has no accounts of its own. Start sessions directly.',
    );
  return mutate(ctx, caller, async (trx, audit) => {
    // One change at a time, also while there is no row.
    if (!(await lockRepository(trx, orgId, repositoryId))) throw notFound('repository', repositoryId);
    const before = await shown(trx, orgId, repositoryId);
    await requireMatch(caller, () => before);
    if (changesNothing(before, policy)) return before;
    const now = ctx.clock.now();
    const since = policy.mentions === 'off' ? null : ((await mentionsSince(trx, orgId, repositoryId)) ?? now);
    const values = { policy: JSON.stringify(policy), mentions_since: since, updated_at: now };
    await trx
      .insertInto('follow_policies')
      .values({ repository_id: repositoryId, org_id: orgId, ...values })
      .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(values))
      .execute();
    audit({
      action: 'follow_policy.update',
      resource: { type: 'follow_policy', id: repositoryId },
      changes: { ...policy },
    });
    await enqueueLooks(ctx, trx, orgId, repositoryId);
    return shown(trx, orgId, repositoryId);
  });
}

/** Returns the policy of a repository, which may be the default. */
export async function policyOf(
  db: Kysely<DB> | Transaction<DB>,
  orgId: string,
  repositoryId: string,
): Promise<Policy & { updated_at: Date | null }> {
  const row = await db
    .selectFrom('follow_policies')
    .select(['policy', 'updated_at'])
    .$narrowType<{ policy: Policy }>()
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return { ...defaultPolicy, ...row?.policy, updated_at: row?.updated_at ?? null };
}

/** Returns why the session of a change request does not hear comments on it; `''` if it does. */
export async function unheardReason(
  trx: Transaction<DB>,
  orgId: string,
  repositoryId: string,
  changeRequestId: string,
): Promise<string> {
  const { mode } = await policyOf(trx, orgId, repositoryId);
  if (mode !== 'fix') return `The follow policy of the repository is \`${mode}\`; \`fix\` would let it hear them.`;
  const follow = await readFollow(trx, changeRequestId);
  return follow?.state === 'paused' ? 'It is paused. Write `@guildhall on` to continue it, and ask again.' : '';
}

/** Returns since when mentions start sessions in a repository; undefined if they do not. */
export async function mentionsSince(
  db: Kysely<DB> | Transaction<DB>,
  orgId: string,
  repositoryId: string,
): Promise<Date | undefined> {
  const row = await db
    .selectFrom('follow_policies')
    .select('mentions_since')
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row?.mentions_since ?? undefined;
}

async function shown(db: Kysely<DB> | Transaction<DB>, orgId: string, repositoryId: string) {
  return { repository_id: repositoryId, ...(await policyOf(db, orgId, repositoryId)) };
}
