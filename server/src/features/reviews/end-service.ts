import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { publish } from '../../outbox/publish.ts';
import { lockReview, updateReview, type ReviewRow } from './store.ts';

/** Records why a review failed, unless it ended before. */
export async function failReview(
  ctx: Pick<Context, 'clock'>,
  trx: Transaction<DB>,
  { id, org_id: orgId }: Pick<ReviewRow, 'id' | 'org_id'>,
  problem: string,
): Promise<void> {
  const row = await lockReview(trx, id);
  if (row?.status !== 'queued' && row?.status !== 'running') return;
  const now = ctx.clock.now();
  await updateReview(trx, id, { status: 'failed', problem, completed_at: now, updated_at: now });
  await publish(trx, {
    orgId,
    type: 'review.failed',
    resource: { type: 'review', id },
    actor: { type: 'system', id: '' },
  });
}
