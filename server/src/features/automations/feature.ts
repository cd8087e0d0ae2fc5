import { defineFeature } from '../define.ts';

const names = {
  errors: ['automation'],
  ids: ['aut', 'hook'],
  audit: [
    'automation.create',
    'automation.delete',
    'automation.pause',
    'automation.resume',
    'automation.trigger',
    'automation.update',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    automations: typeof names;
  }
}

export const automations = defineFeature({
  ...names,
  tag: 'Automations',
  description: 'Schedules and events that start sessions, or runs of external executors.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).automationRoutes(ctx),
});
