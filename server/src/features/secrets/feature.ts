import { defineFeature } from '../define.ts';

const names = {
  errors: ['secret'],
  ids: ['sec'],
  audit: ['secret.create', 'secret.delete', 'secret.set_value', 'secret.update'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    secrets: typeof names;
  }
}

export const secrets = defineFeature({
  ...names,
  tag: 'Secrets',
  description: 'Credentials for sessions; write-only.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).secretRoutes(ctx),
});
