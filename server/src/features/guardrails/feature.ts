import { defineFeature } from '../define.ts';
import { removeOldViolations } from './retention-service.ts';
import { deleteOldCounts } from './upkeep-service.ts';

const names = {
  errors: ['violation'],
  ids: ['vio'],
  audit: ['guardrails.delete', 'guardrails.update', 'violation.acknowledge', 'violation.create'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    guardrails: typeof names;
  }
}

export const guardrails = defineFeature({
  ...names,
  tag: 'Guardrails',
  description: 'Limits for sessions on a repository, and recorded violations.',
  mount: 'organization',
  routes: async (ctx) => {
    const { guardrailRoutes, violationRoutes } = await import('./routes.ts');
    return [...guardrailRoutes(ctx), ...violationRoutes(ctx)];
  },
  retention: [{ kind: 'violations', schedule: '47 3 * * *', remove: removeOldViolations }],
  maintenance: [
    { name: 'delete-old-guardrail-counts', schedule: '23 * * * *', timeoutMs: 300_000, run: deleteOldCounts },
  ],
});
