import { defineFeature } from '../define.ts';

const names = {
  errors: ['blueprint'],
  ids: ['bp'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    blueprints: typeof names;
  }
}

export const blueprints = defineFeature({
  ...names,
  tag: 'Blueprints',
  description: 'Manifests of agents, without credentials.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).blueprintRoutes(ctx),
});
