import { defineFeature } from '../define.ts';
import { followProseSessions } from './prose/consumers.ts';
import { wakeProse } from './prose/look-service.ts';

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
  consumers: [followProseSessions],
  maintenance: [{ name: 'wake-wiki-prose', schedule: '*/10 * * * *', timeoutMs: 60_000, run: wakeProse }],
  routes: async (ctx) => (await import('./routes.ts')).wikiRoutes(ctx),
});
