import { defineFeature } from '../define.ts';
import type { IsBusy } from './deletion-service.ts';
import { purgeOrganizations } from './purge-service.ts';

const names = {
  errors: ['organization'],
  ids: ['org'],
  audit: [
    'organization.create',
    'organization.delete',
    'organization.restore',
    'organization.resume',
    'organization.suspend',
    'organization.update',
  ],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    organizations: typeof names;
  }
}

const group = { tag: 'Organizations', description: 'The tenants: everything else belongs to one of them.' };

export const organizationCollection = defineFeature({
  ...group,
  mount: 'v3',
  routes: async (ctx) => (await import('./routes.ts')).organizationCollectionRoutes(ctx),
});

export const organizations = (isBusy: IsBusy) =>
  defineFeature({
    ...names,
    ...group,
    mount: 'organization',
    routes: async (ctx) => (await import('./routes.ts')).organizationRoutes(ctx, isBusy),
    maintenance: [
      {
        name: 'purge-organizations',
        queue: 'repository_maintenance',
        schedule: '47 * * * *',
        timeoutMs: 10_800_000,
        run: purgeOrganizations,
      },
    ],
  });
