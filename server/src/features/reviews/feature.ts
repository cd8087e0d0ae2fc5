import { defineFeature } from '../define.ts';
import { followReviewSessions, reviewByPolicy } from './consumers.ts';
import { wakeReviews } from './jobs.ts';

const names = {
  errors: ['review', 'finding'],
  ids: ['rev', 'fnd'],
  events: ['review.completed', 'review.failed', 'review.posting_changed', 'review.started'],
  audit: ['finding.fix', 'finding.update', 'review.cancel', 'review.create', 'review.retry', 'review_policy.update'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    reviews: typeof names;
  }
}

export const reviews = defineFeature({
  ...names,
  tag: 'Change Request Reviews',
  description: 'Reviews of change requests by an agent or by linters, and what they found.',
  mount: 'organization',
  routes: async (ctx) => {
    const { reviewRoutes } = await import('./routes.ts');
    const { findingRoutes } = await import('./finding-routes.ts');
    const { policyRoutes } = await import('./policy-routes.ts');
    return [...policyRoutes(ctx), ...reviewRoutes(ctx), ...findingRoutes(ctx)];
  },
  consumers: [followReviewSessions, reviewByPolicy],
  maintenance: [{ name: 'wake-reviews', schedule: '* * * * *', timeoutMs: 60_000, run: wakeReviews }],
});
