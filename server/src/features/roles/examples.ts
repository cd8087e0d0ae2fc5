import type { Examples } from '../../http/examples.ts';
import type { SetRoleAssignment } from './schemas.ts';

export const setRoleAssignment: Examples<typeof SetRoleAssignment> = {
  'A member by e-mail': { email: 'ada@example.com', role: 'pro' },
  'A member by id': { user_id: 'usr_06ggv4ykq9scnfw49x3abw8sk4', role: 'regular' },
};
