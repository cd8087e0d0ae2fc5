import { defineFeature } from '../define.ts';

const names = {
  errors: ['service_user'],
  ids: ['svc'],
  audit: ['service_user.create', 'service_user.disable', 'service_user.update'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    serviceUsers: typeof names;
  }
}

export const serviceUsers = defineFeature({
  ...names,
  tag: 'Service Users',
  description: 'Non-human principals with keys of their own.',
  mount: 'organization',
  routes: async (ctx) => {
    const { serviceUserRoutes } = await import('./routes.ts');
    const { serviceUserKeyRoutes } = await import('./key-routes.ts');
    return [...serviceUserRoutes(ctx), ...serviceUserKeyRoutes(ctx)];
  },
});
