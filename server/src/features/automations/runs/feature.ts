import { defineFeature } from '../../define.ts';
import { followSessions } from './session-consumer.ts';

const names = {
  errors: ['run'],
  ids: ['run', 'cbk'],
  audit: ['automation.executor_set', 'run.cancel', 'run.claim', 'run.report', 'run.retry'],
  events: ['run.status_changed'],
} as const;

declare module '../../../lib/names.ts' {
  interface FeatureNames {
    automationRuns: typeof names;
  }
}

export const automationRuns = defineFeature({
  ...names,
  tag: 'Automations',
  description: '',
  mount: 'organization',
  routes: async (ctx) => [
    ...(await import('./routes.ts')).runRoutes(ctx),
    ...(await import('./claim-routes.ts')).claimRoutes(ctx),
    ...(await import('./executor-routes.ts')).executorRoutes(ctx),
  ],
  consumers: [followSessions],
});

/** Unversioned. */
export const automationCallbacks = defineFeature({
  tag: 'Automations',
  description: '',
  mount: 'root',
  routes: async (ctx) => (await import('./callback-routes.ts')).callbackRoutes(ctx),
});
