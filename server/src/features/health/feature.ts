import { defineFeature } from '../define.ts';

export const health = defineFeature({
  tag: 'Health',
  description: '',
  mount: 'root',
  routes: async (ctx) => (await import('./routes.ts')).healthRoutes(ctx),
});
