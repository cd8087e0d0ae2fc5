import { defineFeature } from '../define.ts';
import { failuresOf } from '../auth/failures.ts';

const names = { audit: ['preference.replace'] } as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    account: typeof names;
  }
}

export const account = defineFeature({
  ...names,
  tag: 'Account',
  description: "The current principal, and a user's own keys.",
  mount: 'v3',
  routes: async (ctx) => [
    ...(await import('./routes.ts')).selfRoutes(ctx, failuresOf(ctx)),
    ...(await import('./preference-routes.ts')).preferenceRoutes(ctx),
    ...(await import('./sign-in-routes.ts')).ownSignInRoutes(ctx),
  ],
});
