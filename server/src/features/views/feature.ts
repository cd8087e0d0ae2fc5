import { defineFeature } from '../define.ts';

const names = { errors: ['view'], ids: ['view'], audit: ['view.create', 'view.delete'] } as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    views: typeof names;
  }
}

export const views = defineFeature({
  ...names,
  tag: 'Views',
  description: 'Named filters of a list, which the members of an organization share.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).viewRoutes(ctx),
});
