import { defineFeature } from '../define.ts';

const names = {
  errors: ['wiki_page'],
  audit: ['repository.wiki_regenerate'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    wikis: typeof names;
  }
}

export const wikis = defineFeature({
  ...names,
  tag: 'Repositories',
  description: '',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).wikiRoutes(ctx),
});
