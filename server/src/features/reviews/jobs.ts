import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Context } from '../../app/context.ts';
import { lookAtReview, type LookContext } from './look-service.ts';
import { lookAtChangeRequest } from './policy-look-service.ts';
import { listResting } from './store.ts';

const ReviewJob = Type.Object({ review_id: Type.String() });
const ChangeRequestJob = Type.Object({ org_id: Type.String(), repository_id: Type.String(), number: Type.Integer() });

/** A review that did not change for so long is looked at again. */
const restingMs = 10 * 60_000;

/** Starts and finishes reviews in this process. */
export function startReviews(ctx: LookContext): void {
  ctx.jobs.work('review', { concurrency: 4 }, async ({ data }) => {
    if (Value.Check(ReviewJob, data)) await lookAtReview(ctx, data.review_id);
    else if (Value.Check(ChangeRequestJob, data)) await lookAtChangeRequest(ctx, data);
  });
}

/** Looks at reviews whose session ended without a sign, for example because it was deleted. */
export async function wakeReviews(ctx: Pick<Context, 'db' | 'clock' | 'jobs'>): Promise<void> {
  const resting = await listResting(ctx.db.kysely, new Date(ctx.clock.now().getTime() - restingMs), 1_000);
  for (const { id } of resting)
    await ctx.db.transaction((trx) => ctx.jobs.enqueue(trx, 'review', { review_id: id }, { singletonKey: id }));
}
