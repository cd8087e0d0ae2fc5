import { defineFeature } from '../define.ts';
import { pollHosts, redeliverFailed } from './poll-service.ts';
import { removeLostBodies, removeOldDeliveries } from './retention-service.ts';

const names = {
  errors: ['hook'],
  events: ['delivery.received'],
  ids: ['hdl'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    hooks: typeof names;
  }
}

export const hooks = defineFeature({
  ...names,
  tag: 'Hooks',
  description: 'Signed requests of git hosts and other services.',
  mount: 'v3',
  streams: true,
  routes: async (ctx) => (await import('./routes.ts')).hookRoutes(ctx),
  maintenance: [
    {
      name: 'poll-git-hosts',
      queue: 'repository_maintenance',
      schedule: '*/10 * * * *',
      timeoutMs: 1_800_000,
      run: pollHosts,
    },
    { name: 'redeliver', schedule: '*/10 * * * *', timeoutMs: 300_000, run: redeliverFailed },
  ],
  retention: [
    { kind: 'deliveries', schedule: '37 3 * * *', remove: removeOldDeliveries },
    { kind: 'delivery-bodies', schedule: '47 3 * * *', remove: removeLostBodies },
  ],
});
