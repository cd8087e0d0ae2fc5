import { withoutRequest } from '../../caller.ts';
import { AppError, ProviderError } from '../../lib/errors.ts';
import { readActorOrganization } from '../automations/actor.ts';
import { cancelSession } from '../sessions/api/action-service.ts';
import { readResult } from '../sessions/run/result-service.ts';
import { failReview } from './end-service.ts';
import { finishReview } from './finish-service.ts';
import { enqueuePolicyLook } from './policy-look-service.ts';
import { postReview } from './posting/post-service.ts';
import type { StartContext } from './reviewer.ts';
import { startReview } from './start-service.ts';
import { lockReview, readAnyReview, readReviewSession, updateReview, type ReviewRow } from './store.ts';

export type LookContext = StartContext;

/** Does the next step of a review: starts it, follows its session, or ends the sessions of one that ended. */
export async function lookAtReview(ctx: LookContext, id: string): Promise<void> {
  const review = await readAnyReview(ctx.db.kysely, id);
  if (review === undefined) return;
  const isOver = review.status !== 'queued' && review.status !== 'running';
  if (isOver) return review.posting === 'pending' ? postReview(ctx, review) : endSessions(ctx, review);
  if (review.session_id === '') return startReview(ctx, review);
  await follow(ctx, review).catch(async (error: unknown) => {
    if (!isPermanent(error)) throw error;
    await ctx.db.transaction((trx) => failReview(ctx, trx, review, error.message));
  });
  await ctx.db.transaction((trx) => enqueuePolicyLook(ctx, trx, review, 0));
}

/** Returns true for a failure that another attempt would meet again, for example a change that is too large to compare. */
function isPermanent(error: unknown): error is Error {
  return error instanceof AppError || (error instanceof ProviderError && !error.retryable);
}

async function follow(ctx: LookContext, review: ReviewRow): Promise<void> {
  const { org_id: orgId, session_id: sessionId } = review;
  const session = await readReviewSession(ctx.db.kysely, orgId, sessionId);
  if (session?.status === 'completed') return finishReview(ctx, review, session);
  await ctx.db.transaction(async (trx) => {
    if (session === undefined) return failReview(ctx, trx, review, 'Its session was deleted.');
    if (session.status === 'failed')
      return failReview(
        ctx,
        trx,
        review,
        (await readResult(trx, orgId, sessionId)).errorMessage || 'Its session failed.',
      );
    if (session.status === 'canceled') return failReview(ctx, trx, review, 'Its session was canceled.');
    if (session.status === 'queued' || session.status === 'provisioning') return;
    const row = await lockReview(trx, review.id);
    if (row?.status === 'queued')
      await updateReview(trx, review.id, { status: 'running', updated_at: ctx.clock.now() });
  });
}

/** Cancels the sessions of a review that was canceled or overtaken. */
async function endSessions(ctx: LookContext, review: ReviewRow): Promise<void> {
  const { org_id, session_id, proof_session_id, status } = review;
  if (session_id === '' || (status !== 'canceled' && status !== 'superseded')) return;
  const organization = await readActorOrganization(ctx.db.kysely, org_id);
  if (organization === undefined) return;
  const principal = { type: 'system', id: '', name: 'Guildhall', email: '' } as const;
  const caller = withoutRequest({ organization, principal, scopes: new Set(['run']), permission: '', role: '' });
  for (const id of [session_id, proof_session_id].filter((one) => one !== ''))
    await cancelSession(ctx, caller, id).catch((error: unknown) => {
      // It ended by itself, or was deleted.
      if (!(error instanceof AppError)) throw error;
    });
}
