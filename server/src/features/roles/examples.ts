import type { Examples } from '../../http/examples.ts';
import type { SetRoleAssignment } from './schemas.ts';

export const setRoleAssignment: Examples<typeof SetRoleAssignment> = {
  'By e-mail': { email: 'ada@example.com', role: 'pro' },
  'By id': { user_id: 'usr_06ggv4ykq9scnfw49x3abw8sk4', role: 'regular' },
};
