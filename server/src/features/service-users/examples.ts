import type { Examples } from '../../http/examples.ts';
import type { CreateServiceUser, UpdateServiceUser } from './schemas.ts';

export const createServiceUser: Examples<typeof CreateServiceUser> = {
  'A service user': { name: 'Build server', description: 'Starts a session when the nightly build breaks.' },
};

export const updateServiceUser: Examples<typeof UpdateServiceUser> = {
  'Change the description': { description: 'Starts a session when a build of the main branch breaks.' },
};
