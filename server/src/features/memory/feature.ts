import { defineFeature } from '../define.ts';
import { purgeMemory } from './upkeep-service.ts';

const names = {
  errors: ['memory_note'],
  ids: ['mem'],
  audit: ['memory_generated.delete', 'memory_note.create', 'memory_note.delete', 'memory_note.update'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    memory: typeof names;
  }
}

export const memory = defineFeature({
  ...names,
  tag: 'Memory',
  description: 'Notes of users and agents on a repository, for later sessions on it.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).memoryRoutes(ctx),
  maintenance: [{ name: 'delete-memory', schedule: '*/5 * * * *', timeoutMs: 300_000, run: purgeMemory }],
});
