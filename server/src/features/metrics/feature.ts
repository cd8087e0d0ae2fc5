import { defineFeature } from '../define.ts';

export const metrics = defineFeature({
  tag: 'Metrics',
  description: 'What came of sessions and change requests, by day, week or month.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).metricRoutes(ctx),
});
