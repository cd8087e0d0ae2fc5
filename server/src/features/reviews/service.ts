import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues, textValues } from '../../lib/filters.ts';
import { paginate } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import type { ReviewContext } from './create-service.ts';
import { reviewStatuses, type ReviewQuery } from './schemas.ts';
import { listReviewRows, lockReview, readReview, reviewsQuery, updateReview } from './store.ts';

export async function listReviews(ctx: Pick<Context, 'db'>, caller: Actor, query: ReviewQuery) {
  const orgId = caller.organization.id;
  const { status, repository_id, number } = query;
  const rows = reviewsQuery(ctx.db.kysely, orgId, {
    statuses: filterValues('status', status, reviewStatuses),
    repositoryIds: textValues('repository_id', repository_id),
    number,
  });
  return paginate({
    list: 'reviews',
    filters: { orgId, status, repository_id, number },
    query,
    rows: (after, limit) => listReviewRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/** Throws 404 `review_not_found`. */
export async function getReview(ctx: Pick<Context, 'db'>, caller: Actor, id: string) {
  const row = await readReview(ctx.db.kysely, caller.organization.id, id);
  if (row === undefined) throw notFound('review', id);
  return row;
}

/** Ends a review, and the session that carries it out; repeating it is harmless. Throws 409 `conflict` after its end. */
export async function cancelReview(ctx: ReviewContext, caller: Caller, id: string) {
  return change(ctx, caller, id, 'cancel', (status) => {
    if (status === 'canceled') return undefined;
    if (status !== 'queued' && status !== 'running')
      throw new AppError('conflict', `The review is ${status}, so it cannot be canceled.`);
    return { status: 'canceled' as const, completed_at: ctx.clock.now() };
  });
}

/** Starts a failed or canceled review again, with another session. Throws 409 `conflict` for any other. */
export async function retryReview(ctx: ReviewContext, caller: Caller, id: string) {
  return change(ctx, caller, id, 'retry', (status) => {
    if (status !== 'failed' && status !== 'canceled')
      throw new AppError('conflict', `The review is ${status}. Only a failed or canceled one can be tried again.`);
    return {
      status: 'queued' as const,
      session_id: '',
      proof_session_id: '',
      agent_id: '',
      problem: '',
      completed_at: null,
    };
  });
}

async function change(
  ctx: ReviewContext,
  caller: Caller,
  id: string,
  verb: 'cancel' | 'retry',
  decide: (
    status: string,
  ) => Parameters<typeof updateReview>[2] extends infer C ? Omit<C, 'updated_at'> | undefined : never,
) {
  const orgId = caller.organization.id;
  await getReview(ctx, caller, id);
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await lockReview(trx, id);
    if (row === undefined) throw notFound('review', id);
    await requireMatch(caller, () => getReview({ db: ctx.db }, caller, id));
    const changes = decide(row.status);
    if (changes !== undefined) {
      await updateReview(trx, id, { ...changes, updated_at: ctx.clock.now() });
      await ctx.jobs.enqueue(trx, 'review', { review_id: id }, { singletonKey: id });
      audit({ action: `review.${verb}`, resource: { type: 'review', id } });
    }
    const after = await readReview(trx, orgId, id);
    if (after === undefined) throw notFound('review', id);
    return after;
  });
}
