import type { Examples } from '../../http/examples.ts';
import type { CreateOrganization, UpdateOrganization } from './schemas.ts';

export const createOrganization: Examples<typeof CreateOrganization> = {
  'With a slug of your choice': { name: 'Acme Research', slug: 'acme-research' },
};

export const updateOrganization: Examples<typeof UpdateOrganization> = {
  'Change the name': { name: 'Acme' },
};
