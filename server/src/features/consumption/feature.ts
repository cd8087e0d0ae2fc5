import { defineFeature } from '../define.ts';
import { measure } from './measure-consumer.ts';
import { rollUp } from './rollup-service.ts';

const names = {
  errors: ['billing_cycle'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    consumption: typeof names;
  }
}

export const consumption = defineFeature({
  ...names,
  tag: 'Consumption',
  description: 'What was used and what it cost, by day and by billing cycle.',
  mount: 'organization',
  routes: async (ctx) => (await import('./routes.ts')).consumptionRoutes(ctx),
  consumers: [measure],
  maintenance: [{ name: 'roll-up-consumption', schedule: '* * * * *', timeoutMs: 300_000, run: rollUp }],
});
