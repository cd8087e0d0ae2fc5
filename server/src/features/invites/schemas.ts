import { Type, type Static } from 'typebox';
import { Body, explain, Id, Name, named, OneOf, Text, Timestamp } from '../../http/schema.ts';
import { permissions } from '../../lib/scopes.ts';
import { GivenPassword } from '../auth/password-policy.ts';

const states = ['pending', 'accepted', 'expired', 'revoked'] as const;
const inviteResults = ['created', 'already_member', 'already_invited', 'invalid'] as const;

const inviteFields = {
  id: Id,
  email: Type.String(),
  permission: OneOf(permissions),
  state: OneOf(states),
  created_at: Timestamp,
  expires_at: Timestamp,
};
const accept_url = Type.String({
  description: 'Where the invitation is accepted, shown this once; "" when it was sent by mail.',
});

export const Invite = named('Invite', Type.Object(inviteFields));
export const ResentInvite = named('ResentInvite', Type.Object({ ...inviteFields, accept_url }));

const InviteResult = named(
  'InviteResult',
  Type.Object({
    id: Type.String({ description: '"" where there is no invite.' }),
    email: Type.String(),
    permission: OneOf(permissions),
    state: OneOf([...states, '']),
    expires_at: Type.Unsafe<Date | ''>({ type: 'string', description: 'date-time; "" where there is no invite.' }),
    result: OneOf(inviteResults, {
      description: '`invalid`: no e-mail address, or one with other characters than ASCII, which is not invited.',
    }),
    accept_url,
  }),
);
export const InviteResults = named(
  'InviteResults',
  Type.Object({ items: Type.Array(InviteResult), total: Type.Integer({ minimum: 0 }) }),
);
export type InviteResult = Static<typeof InviteResult>;

export const CreateInvites = Body({
  emails: Type.Array(Text(1_000), { minItems: 1, maxItems: 100 }),
  permission: Type.Optional(OneOf(permissions, { description: '`member` unless told.' })),
});
export type CreateInvites = Static<typeof CreateInvites>;

export const AcceptInvite = Body({
  name: Type.Optional(Name(200, { description: 'Required of somebody new; whoever is here already keeps theirs.' })),
  password: Type.Optional(GivenPassword),
});
export type AcceptInvite = Static<typeof AcceptInvite>;

export const AcceptedInvite = named(
  'AcceptedInvite',
  Type.Object({
    user_id: Id,
    email: Type.String(),
    organization: Type.Object({ id: Id, slug: Type.String(), name: Type.String() }),
  }),
);

explain('AcceptedInvite', {
  organization: 'The one you are a member of now.',
});
explain('AcceptInviteRequest', {
  password:
    'Of somebody new: the one to sign in with, at least 12 characters, and none of the common ones. Of somebody who is here already: the one they have. Left out, a sign-in of this browser says who it is.',
});
explain('Invite', {
  state: '`pending` until it is accepted or revoked, or seven days have passed.',
});
explain('ResentInvite', {
  state: '`pending` again.',
});
explain('InviteResult', {
  state: 'Of the invite; "" where there is none.',
});
explain('InviteResults', {
  items: 'One for each address, in the order of the request.',
  total: 'How many addresses that were.',
});
explain('CreateInvitesRequest', {
  emails: '1 to 100 addresses.',
});
