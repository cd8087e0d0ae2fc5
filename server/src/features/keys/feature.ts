import { defineFeature } from '../define.ts';

const names = {
  errors: ['key'],
  ids: ['key'],
  audit: ['key.create', 'key.revoke', 'key.rotate'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    keys: typeof names;
  }
}

export const keys = defineFeature({
  ...names,
  tag: 'Keys',
  description: '',
  mount: 'root',
  routes: () => [],
});
