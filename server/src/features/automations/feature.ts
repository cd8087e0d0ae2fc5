import { defineFeature } from '../define.ts';
import { startByEvents } from './event-consumer.ts';
import { forgetSightings, startByHosts } from './host-service.ts';
import { wakeScheduler } from './scheduler.ts';

const names = {
  errors: ['automation'],
  ids: ['aut', 'hook'],
  audit: [
    'automation.create',
    'automation.delete',
    'automation.follow_up',
    'automation.hook_secret_rotate',
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
  consumers: [startByEvents, startByHosts],
  maintenance: [
    { name: 'wake-scheduler', schedule: '* * * * *', timeoutMs: 60_000, run: wakeScheduler },
    { name: 'forget-sightings', schedule: '57 3 * * *', timeoutMs: 600_000, run: forgetSightings },
  ],
});
