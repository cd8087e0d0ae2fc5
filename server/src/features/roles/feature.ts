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
  description: 'Product roles of members.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).roleRoutes(ctx),
});
