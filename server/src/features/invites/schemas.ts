import { Type, type Static } from 'typebox';
import { Body, defaults, explain, Id, Name, named, OneOf, Text, Timestamp } from '../../http/schema.ts';
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
  description: 'URL to accept the invitation, shown only once; "" if it was sent by mail.',
});

export const Invite = named('Invite', Type.Object(inviteFields));
export const ResentInvite = named('ResentInvite', Type.Object({ ...inviteFields, accept_url }));

const InviteResult = named(
  'InviteResult',
  Type.Object({
    id: Type.String({ description: '"" if no invitation was created.' }),
    email: Type.String(),
    permission: OneOf(permissions),
    state: OneOf([...states, '']),
    expires_at: Type.Unsafe<Date | ''>({ type: 'string', description: 'date-time; "" if no invitation was created.' }),
    result: OneOf(inviteResults, {
      description: '`invalid`: not an e-mail address, or one with non-ASCII characters, which are not supported.',
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
  permission: Type.Optional(OneOf(permissions)),
});
export type CreateInvites = Static<typeof CreateInvites>;

export const AcceptInvite = Body({
  name: Type.Optional(
    Name(200, { description: 'Required for a new user; omit it for an existing account, which keeps its name.' }),
  ),
  password: Type.Optional(GivenPassword),
});
export type AcceptInvite = Static<typeof AcceptInvite>;

const organization = Type.Object({ id: Id, slug: Type.String(), name: Type.String() });
export const AcceptedInvite = named('AcceptedInvite', Type.Object({ user_id: Id, email: Type.String(), organization }));

export const InviteOffer = named(
  'InviteOffer',
  Type.Object({
    email: Type.String(),
    permission: OneOf(permissions),
    organization,
    signed_in: Type.Boolean(),
    expires_at: Timestamp,
  }),
);

explain('InviteOffer', {
  email: 'Who is invited.',
  organization: 'The organization to join.',
  signed_in: "True if the request's sign-in cookie is of a user with this e-mail, who needs no password to accept.",
  expires_at: 'When the link expires.',
});

explain('AcceptedInvite', {
  organization: 'The organization that you joined.',
});
explain('AcceptInviteRequest', {
  password:
    'For a new user: the password to sign in with, at least 12 characters, not a common one. For an existing ' +
    "account: its password. If omitted, the browser's sign-in identifies you.",
});
explain('Invite', {
  state: '`pending` until it is accepted or revoked, or seven days have passed.',
});
explain('ResentInvite', {
  state: '`pending` again.',
});
explain('InviteResult', {
  state: 'The invitation\'s state; "" if none was created.',
});
explain('InviteResults', {
  items: 'One result per address, in the order of the request.',
  total: 'Number of addresses.',
});
explain('CreateInvitesRequest', {
  emails: '1 to 100 addresses.',
});
defaults('CreateInvitesRequest', { permission: 'member' });
