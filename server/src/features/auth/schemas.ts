import { Type, type Static } from 'typebox';
import { Body, explain, Id, named, OneOf, Text, Timestamp } from '../../http/schema.ts';
import { permissions } from '../../lib/scopes.ts';
import { GivenPassword, NewPassword } from './password-policy.ts';

export const SignIn = Body({
  email: Text(320, { minLength: 1 }),
  password: GivenPassword,
  organization: Type.Optional(Text(64)),
});
export type SignIn = Static<typeof SignIn>;
export const ChangePassword = Body({ current_password: Type.Optional(GivenPassword), new_password: NewPassword });

export const SignedIn = named(
  'SignedIn',
  Type.Object({
    user_id: Id,
    email: Type.String(),
    name: Type.String(),
    organizations: Type.Array(
      Type.Object({ id: Id, slug: Type.String(), name: Type.String(), permission: OneOf(permissions) }),
    ),
    expires_at: Timestamp,
  }),
);

export const SignedOutEverywhere = named('SignedOutEverywhere', Type.Object({ ended: Type.Integer({ minimum: 0 }) }));

export const SignInMethods = named(
  'SignInMethods',
  Type.Object({
    password: Type.Boolean(),
    sso: Type.Array(Type.Object({ provider: Type.String(), name: Type.String(), start_url: Type.String() })),
  }),
);

explain('SignInRequest', {
  password: 'Yours.',
  organization:
    'One that you are a member of, by id or slug, where several people have joined with this e-mail; "", or none, looks for you in all.',
});
explain('SignedIn', {
  organizations: 'Those you are a member of, with what you may do in each.',
  expires_at: 'When the sign-in ends in any case.',
});
explain('SignedOutEverywhere', {
  ended: 'How many sign-ins there were.',
});
explain('SignInMethods', {
  password: 'Whether e-mail and password are one way.',
  sso: 'The identity providers; `[]` where there is none.',
  'sso.provider': 'Its name in paths.',
  'sso.name': 'What the operator calls it, for a button.',
  'sso.start_url': 'Where to send the browser to.',
});
