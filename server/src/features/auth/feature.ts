import { defineFeature } from '../define.ts';
import { failuresOf } from './failures.ts';
import type { SignInDependencies } from './dependencies.ts';
import { deleteExpiredSignIns } from './sign-in-service.ts';

const names = {
  ids: ['sgn'],
  errors: ['sign_in'],
  audit: ['password.change', 'password.set', 'sign_in.create', 'sign_in.delete', 'sign_in.delete_all', 'sign_in.fail'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    signIn: typeof names;
  }
}

export const signIn = (dependencies: SignInDependencies) =>
  defineFeature({
    ...names,
    tag: 'Sign-in',
    description: 'Signing in and out in a browser.',
    mount: 'v3',
    routes: async (ctx) => (await import('./routes.ts')).authRoutes(ctx, failuresOf(ctx), dependencies),
    maintenance: [{ name: 'delete-sign-ins', schedule: '*/5 * * * *', timeoutMs: 300_000, run: deleteExpiredSignIns }],
  });
