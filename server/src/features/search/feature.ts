import { defineFeature } from '../define.ts';

export const search = defineFeature({
  tag: 'Search',
  description: 'Search over everything with a name.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).searchRoutes(ctx),
});
