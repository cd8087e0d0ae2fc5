import { defineFeature } from '../define.ts';

const names = {
  errors: ['audit_entry'],
  ids: ['aud'],
  audit: ['request.fail', 'request.refuse'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    auditLogs: typeof names;
  }
}

export const auditLogs = (actions: () => readonly string[]) =>
  defineFeature({
    ...names,
    tag: 'Audit Logs',
    description: 'Who changed what, in a chain that shows when it was tampered with.',
    mount: 'organization',
    routes: async (ctx) => (await import('./routes.ts')).auditLogRoutes(ctx, actions),
  });
