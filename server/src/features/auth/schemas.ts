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
    'An organization you are a member of, by id or slug, in case several users have joined with this e-mail; "" or ' +
    'omitted searches all.',
});
explain('SignedIn', {
  organizations: 'Your organizations, with your permission in each.',
  expires_at: 'When the sign-in expires at the latest.',
});
explain('SignedOutEverywhere', {
  ended: 'Number of sign-ins that ended.',
});
explain('SignInMethods', {
  password: 'True if you can sign in with e-mail and password.',
  sso: 'The identity providers; `[]` for none.',
  'sso.provider': 'Its name in paths.',
  'sso.name': 'A display name from the operator, for a button.',
  'sso.start_url': 'The URL to open in the browser.',
});
