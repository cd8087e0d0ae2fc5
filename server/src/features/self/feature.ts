import { defineFeature } from '../define.ts';
import { failuresOf } from '../auth/failures.ts';

export const account = defineFeature({
  tag: 'Account',
  description: "The current principal, and a user's own keys.",
  mount: 'v3',
  routes: async (ctx) => (await import('./routes.ts')).selfRoutes(ctx, failuresOf(ctx)),
});
