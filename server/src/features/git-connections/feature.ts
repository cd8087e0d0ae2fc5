import { defineFeature } from '../define.ts';

const names = {
  errors: ['git_app', 'git_connection'],
  ids: ['gc', 'ga'],
  audit: [
    'git_app.create',
    'git_app.delete',
    'git_app.prepare',
    'git_app.rotate_webhook_secret',
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
  routes: async (ctx) => {
    const { gitConnectionRoutes } = await import('./routes.ts');
    const { gitAppRoutes } = await import('./app-routes.ts');
    return [...gitConnectionRoutes(ctx), ...gitAppRoutes(ctx)];
  },
});
