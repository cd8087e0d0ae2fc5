import { defineFeature } from '../define.ts';
import { failuresOf } from '../auth/failures.ts';

export const account = defineFeature({
  tag: 'Account',
  description: 'Who a key belongs to, and the keys of a person.',
  mount: 'v3',
  routes: async (ctx) => (await import('./routes.ts')).selfRoutes(ctx, failuresOf(ctx)),
});
