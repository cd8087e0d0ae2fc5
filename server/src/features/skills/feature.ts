import { defineFeature } from '../define.ts';
import { purgeDeletedSkills } from './public.ts';

const names = {
  errors: ['skill'],
  ids: ['skl'],
  audit: ['skill.create', 'skill.delete', 'skill.revise', 'skill.update'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    skills: typeof names;
  }
}

export const skills = defineFeature({
  ...names,
  tag: 'Skills',
  description: 'Bundles of instructions that agents load for matching tasks.',
  mount: 'organization',
  archives: true,
  routes: async (ctx) => (await import('./routes.ts')).skillRoutes(ctx),
  maintenance: [{ name: 'delete-skills', schedule: '*/5 * * * *', timeoutMs: 300_000, run: purgeDeletedSkills }],
});
