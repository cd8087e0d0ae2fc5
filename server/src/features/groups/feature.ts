import { defineFeature } from '../define.ts';
import { reapLostCalls } from './call-service.ts';

const names = {
  errors: ['group'],
  ids: ['grp'],
  audit: [
    'group.create',
    'group.delete',
    'group.members_add',
    'group.members_remove',
    'group.members_replace',
    'group.update',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    groups: typeof names;
  }
}

export const groups = defineFeature({
  ...names,
  tag: 'Groups',
  description: 'Members whose sessions share a daily quota.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).groupRoutes(ctx),
  maintenance: [{ name: 'delete-lost-model-calls', schedule: '*/5 * * * *', timeoutMs: 300_000, run: reapLostCalls }],
});
