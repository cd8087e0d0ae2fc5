import { defineFeature } from '../../define.ts';
import { removeOldRuns, removeOldTokens } from './retention-service.ts';
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
  retention: [
    { kind: 'runs', schedule: '37 3 * * *', remove: removeOldRuns },
    { kind: 'callback-tokens', schedule: '42 3 * * *', remove: removeOldTokens },
  ],
});

/** Unversioned. */
export const automationCallbacks = defineFeature({
  tag: 'Automations',
  description: '',
  mount: 'root',
  routes: async (ctx) => (await import('./callback-routes.ts')).callbackRoutes(ctx),
});
