import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { requireChangeRequest } from '../repositories/change-request-service.ts';
import { addReview } from './create-service.ts';
import { policyOf } from './policy-service.ts';
import { hasReview, listUnfinished, updateReview } from './store.ts';

type PolicyContext = Pick<Context, 'db' | 'clock' | 'jobs'>;

export interface ChangeRequestPlace {
  org_id: string;
  repository_id: string;
  number: number;
}

/** Enqueues a look at a change request, after a quiet time in milliseconds. */
export async function enqueuePolicyLook(
  ctx: Pick<Context, 'clock' | 'jobs'>,
  trx: Transaction<DB>,
  { org_id, repository_id, number }: ChangeRequestPlace,
  afterMs: number,
): Promise<void> {
  const startAfter = afterMs === 0 ? {} : { startAfter: new Date(ctx.clock.now().getTime() + afterMs) };
  const singletonKey = `${repository_id} ${number}`;
  await ctx.jobs.enqueue(trx, 'review', { org_id, repository_id, number }, { singletonKey, ...startAfter });
}

/** Adds the review that the repository's policy wants for the head of a change request. */
export async function lookAtChangeRequest(ctx: PolicyContext, place: ChangeRequestPlace): Promise<void> {
  const { org_id: orgId, repository_id: repositoryId, number } = place;
  const policy = await policyOf(ctx.db.kysely, orgId, repositoryId);
  if (policy.mode === 'off') return;
  const change = await requireChangeRequest(ctx, orgId, repositoryId, number).catch((error: unknown) => {
    // It was deleted meanwhile.
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (change?.state !== 'open' || (change.draft && !policy.drafts)) return;
  if (change.additions + change.deletions > policy.max_changed_lines) return;
  await ctx.db.transaction(async (trx) => {
    if (policy.mode === 'once' && (await hasReview(trx, change.id))) return;
    const unfinished = await listUnfinished(trx, change.id);
    // A running review is finished, and then looks here again.
    if (unfinished.some(({ status, head_sha }) => status === 'running' || head_sha === change.head_sha)) return;
    for (const { id } of unfinished) {
      const now = ctx.clock.now();
      await updateReview(trx, id, { status: 'superseded', completed_at: now, updated_at: now });
      await ctx.jobs.enqueue(trx, 'review', { review_id: id }, { singletonKey: id });
    }
    const by = { type: 'system', id: '' } as const;
    await addReview(ctx, trx, change, { orgId, trigger: 'policy', by, instructions: '' });
  });
}
