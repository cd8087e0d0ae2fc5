import { defineFeature } from '../define.ts';

const names = {
  errors: ['ip_entry'],
  ids: ['ipe'],
  audit: ['ip_access_list.add', 'ip_access_list.disable', 'ip_access_list.remove', 'ip_access_list.replace'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    ipAccessList: typeof names;
  }
}

export const ipAccessList = defineFeature({
  ...names,
  tag: 'IP Access List',
  description: "The addresses that an organization's keys can be used from.",
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).ipAccessListRoutes(ctx),
});
