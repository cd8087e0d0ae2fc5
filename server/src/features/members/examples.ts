import type { Examples } from '../../http/examples.ts';
import type { UpdateMember } from './schemas.ts';

export const updateMember: Examples<typeof UpdateMember> = {
  'Make the member an administrator': { permission: 'admin' },
};
