import { defineFeature } from '../define.ts';
import { lookAtChanges, lookAtDeliveries, lookAtSessions, ownContinued } from './consumers.ts';
import { lookAtDue } from './jobs.ts';

const names = {
  events: ['change_request.follow_changed'],
  audit: [
    'change_request.end',
    'change_request.pause',
    'change_request.resume',
    'change_request.watch',
    'follow_policy.update',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    follow: typeof names;
  }
}

export const follow = defineFeature({
  ...names,
  tag: 'Following',
  description: 'Sessions that stay with their change requests until these merge.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).followRoutes(ctx),
  consumers: [lookAtChanges, lookAtDeliveries, lookAtSessions, ownContinued],
  maintenance: [{ name: 'follow-change-requests', schedule: '* * * * *', timeoutMs: 60_000, run: lookAtDue }],
});
