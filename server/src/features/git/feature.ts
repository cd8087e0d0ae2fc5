import { defineFeature } from '../define.ts';

export const git = defineFeature({
  tag: 'Git',
  description: '',
  mount: 'root',
  routes: async (ctx) => (await import('./routes.ts')).gitRoutes(ctx),
});
