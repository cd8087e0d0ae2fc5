import { defineFeature } from '../define.ts';

const names = {
  errors: ['git_connection'],
  ids: ['gc'],
  audit: [
    'git_connection.create',
    'git_connection.delete',
    'git_connection.rotate_webhook_secret',
    'git_connection.update',
    'git_connection.verify',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    gitConnections: typeof names;
  }
}

export const gitConnections = defineFeature({
  ...names,
  tag: 'Git Connections',
  description: 'The git hosts that an organization is connected to.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).gitConnectionRoutes(ctx),
});
