import { defineFeature } from '../define.ts';

const names = {
  audit: ['role.assign'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    roles: typeof names;
  }
}

export const roles = defineFeature({
  ...names,
  tag: 'Roles',
  description: 'What each member may do in the product.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).roleRoutes(ctx),
});
