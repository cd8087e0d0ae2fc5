import { Type, type Static } from 'typebox';
import { Body, Id, NullableTimestamp, OneOf, Text, record } from '../../http/schema.ts';
import { roles } from '../../lib/scopes.ts';

const role = OneOf(roles);
/** `updated_at` is null if no role was set. */
export const RoleAssignment = record(
  'RoleAssignment',
  Type.Object({ user_id: Id, role, updated_at: NullableTimestamp }),
);

const either = 'Exactly one of `user_id` and `email`.';
export const SetRoleAssignment = Body({
  user_id: Type.Optional(Text(64, { minLength: 1, description: either })),
  email: Type.Optional(Text(320, { minLength: 1, description: `${either} Compared case-insensitively.` })),
  role,
});
export type SetRoleAssignment = Static<typeof SetRoleAssignment>;
