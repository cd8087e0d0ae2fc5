import { defineFeature } from '../define.ts';

export const signInPages = defineFeature({
  tag: 'Pages',
  description: '',
  mount: 'root',
  routes: async (ctx) => (await import('./routes.ts')).signInPageRoutes(ctx),
});
