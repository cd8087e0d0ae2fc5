import { Type, type Static } from 'typebox';
import { Body, explain, Id, NullableTimestamp, OneOf, Text, Timestamp, record } from '../../http/schema.ts';
import { permissions, roles } from '../../lib/scopes.ts';

export const Member = record(
  'Member',
  Type.Object({
    user_id: Id,
    email: Type.String(),
    name: Type.String(),
    permission: OneOf(permissions),
    role: OneOf(roles),
    source: OneOf(['invite', 'direct', 'sso']),
    joined_at: Timestamp,
    last_active_at: NullableTimestamp,
  }),
);

export const memberFilters = {
  search: Type.Optional(
    Text(200, { minLength: 1, description: 'A part of the name or the e-mail, case-insensitive.' }),
  ),
  permission: Type.Optional(Text(100, { description: permissions.join(', ') })),
};

export const UpdateMember = Body({ permission: OneOf(permissions) });
export type UpdateMember = Static<typeof UpdateMember>;

explain('Member', {
  source:
    'How they joined: `invite`, `direct` by creating the organization or through the operator, or `sso` by ' +
    'the groups of an identity provider.',
  joined_at: 'When they joined.',
  last_active_at: 'When they last sent a request; null before the first one.',
});
