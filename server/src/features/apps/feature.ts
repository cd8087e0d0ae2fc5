import { defineFeature } from '../define.ts';

const names = {
  errors: ['app'],
  ids: ['app'],
  audit: ['app.create', 'app.delete'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    apps: typeof names;
  }
}

export const apps = defineFeature({
  ...names,
  tag: 'Apps',
  description: 'Third-party programs, each with keys of its own.',
  mount: 'root',
  routes: async (ctx) => (await import('./routes.ts')).appRoutes(ctx),
});
