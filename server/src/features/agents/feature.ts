import { defineFeature } from '../define.ts';

const names = {
  errors: ['agent'],
  ids: ['agt'],
  audit: ['agent.create', 'agent.delete', 'agent.update'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    agents: typeof names;
  }
}

export const agents = defineFeature({
  ...names,
  tag: 'Agents',
  description: 'Combinations of a runtime, a model and instructions; each session runs one.',
  mount: 'root',
  routes: async (ctx) => (await import('./routes.ts')).agentRoutes(ctx),
});
