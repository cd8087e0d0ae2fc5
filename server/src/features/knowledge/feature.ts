import { defineFeature } from '../define.ts';

const names = {
  errors: ['knowledge_note', 'suggestion'],
  ids: ['note', 'sug'],
  audit: [
    'knowledge.import',
    'knowledge_note.create',
    'knowledge_note.delete',
    'knowledge_note.restore',
    'knowledge_note.update',
    'suggestion.accept',
    'suggestion.create',
    'suggestion.dismiss',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    knowledge: typeof names;
  }
}

export const knowledge = defineFeature({
  ...names,
  tag: 'Knowledge',
  description: "Notes for agents, found by the session's prompt.",
  mount: 'organization',
  multipart: true,
  routes: async (ctx) => {
    const { noteRoutes, knowledgeRoutes, transferRoutes } = await import('./routes.ts');
    return [...noteRoutes(ctx), ...knowledgeRoutes(ctx), ...transferRoutes(ctx)];
  },
});
