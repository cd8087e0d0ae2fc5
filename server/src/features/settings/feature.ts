import { defineFeature } from '../define.ts';

const names = {
  ids: ['prc'],
  audit: ['settings.replace', 'settings.reset'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    settings: typeof names;
  }
}

export const settings = defineFeature({
  ...names,
  tag: 'Settings',
  description: 'Settings of an organization for all of its sessions.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).settingsRoutes(ctx),
});
