import type { Examples } from '../../http/examples.ts';
import type { CreateGroup, GroupMembers, UpdateGroup } from './schemas.ts';

export const createGroup: Examples<typeof CreateGroup> = {
  'A group with daily limits': {
    name: 'Checkout team',
    description: 'Cart, orders and payment.',
    limits: { per_day: { cost_usd: 100, sessions: 50 }, timezone: 'Europe/Berlin', on_exceed: 'queue' },
  },
};

export const updateGroup: Examples<typeof UpdateGroup> = {
  'Raise one limit, remove another': { limits: { per_day: { cost_usd: 250, sessions: null } } },
};

export const groupMembers: Examples<typeof GroupMembers> = {
  'Two members': { user_ids: ['usr_06ggv4ykq9scnfw49x3abw8sk4', 'usr_06ggzm1kzhrxs9x66btq8xnqhg'] },
};
