import { defineFeature } from '../define.ts';

export const models = defineFeature({
  tag: 'Models',
  description: 'Models that sessions can use.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).modelRoutes(ctx),
});
