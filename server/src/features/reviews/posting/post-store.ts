import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { publish } from '../../../outbox/publish.ts';
import { updateReview, type ReviewRow } from '../store.ts';

/** A job that posts may take so long; then another one takes over. */
const leaseMs = 10 * 60_000;

/** Asks for the change request of a finding to say what is stored, in the transaction that changes that. */
export async function enqueuePost(
  ctx: Pick<Context, 'clock' | 'jobs'>,
  trx: Transaction<DB>,
  findingId: string,
): Promise<void> {
  const last = await trx
    .selectFrom('reviews')
    .select(['id', 'posting', 'posting_changes'])
    .where('change_request_id', '=', (eb) =>
      eb.selectFrom('review_findings').select('change_request_id').where('id', '=', findingId),
    )
    .where('status', '=', 'completed')
    .orderBy('id', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  if (last === undefined || last.posting === '' || last.posting === 'not_offered') return;
  const now = ctx.clock.now();
  await updateReview(trx, last.id, {
    posting: 'pending',
    posting_changes: last.posting_changes + 1,
    updated_at: now,
  });
  await ctx.jobs.enqueue(trx, 'review', { review_id: last.id }, { singletonKey: last.id });
}

/** A job's claim to post on a change request. */
export interface Lease {
  review: ReviewRow;
  reviewIds: ReadonlySet<string>;
  /** The verdict of the review before it; `''` for none. */
  lastVerdict: string;
}

/**
 * Claims the posting of a review, so that one job at a time posts on its change request. Undefined if nothing is to post, or if
 * another job does; it is then looked at again.
 */
export async function claimPost(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  { id, change_request_id }: ReviewRow,
): Promise<Lease | undefined> {
  return ctx.db.transaction(async (trx) => {
    const completed = await trx
      .selectFrom('reviews')
      .selectAll()
      .where('change_request_id', '=', change_request_id)
      .where('status', '=', 'completed')
      .orderBy('id', 'desc')
      .forUpdate()
      .execute();
    const review = completed.find((row) => row.id === id);
    if (review?.posting !== 'pending') return undefined;
    const now = ctx.clock.now();
    const held = completed.flatMap(({ posting_until: until }) => (until !== null && until > now ? [until] : []))[0];
    if (held !== undefined) {
      await ctx.jobs.enqueue(trx, 'review', { review_id: id }, { singletonKey: id, startAfter: held });
      return undefined;
    }
    if (completed[0]?.id !== id) {
      // A newer one says it all.
      await updateReview(trx, id, { posting: '', posting_until: null, updated_at: now });
      return undefined;
    }
    await updateReview(trx, id, { posting_until: new Date(now.getTime() + leaseMs), updated_at: now });
    return {
      review,
      reviewIds: new Set(completed.map((row) => row.id)),
      lastVerdict: completed[1]?.verdict ?? '',
    };
  });
}

/** Ends a claim. What changed meanwhile is posted by another job. */
export async function endPost(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  { review: { id, org_id: orgId, posting_changes } }: Lease,
  end: { posting: 'pending' | 'posted' | 'failed'; posting_problem: string },
): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const row = await trx
      .selectFrom('reviews')
      .select(['posting_changes', 'posting'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return;
    const isCurrent = row.posting_changes === posting_changes;
    const now = ctx.clock.now();
    await updateReview(trx, id, { ...(isCurrent ? end : {}), posting_until: null, updated_at: now });
    if (!isCurrent) await ctx.jobs.enqueue(trx, 'review', { review_id: id }, { singletonKey: id });
    else if (row.posting !== end.posting)
      await publish(trx, {
        orgId,
        type: 'review.posting_changed',
        resource: { type: 'review', id },
        actor: { type: 'system', id: '' },
        data: { posting: end.posting },
      });
  });
}

/** Returns the principal's name in audit entries of what reviews do. */
export const display = 'Review';

export async function readAllFindings(db: Kysely<DB>, changeRequestId: string) {
  return db
    .selectFrom('review_findings')
    .selectAll()
    .where('change_request_id', '=', changeRequestId)
    .orderBy('id')
    .execute();
}
