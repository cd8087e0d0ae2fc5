import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError } from '../../lib/errors.ts';
import { callerOf } from '../automations/actor.ts';
import type { ReviewRow } from './store.ts';

export type StartContext = Pick<
  Context,
  'db' | 'clock' | 'jobs' | 'config' | 'keyRing' | 'runtimes' | 'baseUrl' | 'log' | 'sourceControl'
>;

/** Returns the caller for whom a review's session runs. Throws 403 `forbidden`. */
export async function reviewerOf(ctx: StartContext, review: ReviewRow): Promise<Caller> {
  const { id, org_id, trigger, created_by_type, created_by_id } = review;
  const run_as = trigger === 'policy' || created_by_type === 'session' ? 'organization' : 'creator';
  return callerOf(ctx, { id, org_id, name: 'Review', run_as, created_by_type, created_by_id }).catch(
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      throw new AppError('forbidden', 'Who requested the review may not start sessions any more. Request it again.');
    },
  );
}
