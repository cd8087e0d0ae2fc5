import { defineFeature } from '../define.ts';
import { hearHosts, hearSessions } from './consumers.ts';
import { wakeMentions } from './jobs.ts';

const names = { ids: ['men'] } as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    mentions: typeof names;
  }
}

export const mentions = defineFeature({
  ...names,
  tag: 'Following',
  description: '',
  mount: 'organization',
  routes: () => [],
  consumers: [hearHosts, hearSessions],
  maintenance: [{ name: 'wake-mentions', schedule: '* * * * *', timeoutMs: 60_000, run: wakeMentions }],
});
