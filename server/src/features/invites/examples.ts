import type { Examples } from '../../http/examples.ts';
import type { AcceptInvite, CreateInvites } from './schemas.ts';

export const createInvites: Examples<typeof CreateInvites> = {
  'Two members': { emails: ['ada@example.com', 'grace@example.com'], permission: 'member' },
};

export const acceptInvite: Examples<typeof AcceptInvite> = {
  'A new user': { name: 'Ada Lovelace', password: 'violet-anvil-harbour-92' },
};
