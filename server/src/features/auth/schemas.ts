import { Type, type Static } from 'typebox';
import { Body, explain, Id, named, OneOf, Text, Timestamp } from '../../http/schema.ts';
import { permissions } from '../../lib/scopes.ts';
import { GivenPassword, NewPassword } from './password-policy.ts';

export const SignIn = Body({
  email: Type.Optional(Text(320, { minLength: 1 })),
  password: Type.Optional(GivenPassword),
  organization: Type.Optional(Text(64)),
  key: Type.Optional(Text(200, { minLength: 1 })),
});
export type SignIn = Static<typeof SignIn>;

/** A sign-in by e-mail and password. */
export interface PasswordSignIn {
  email: string;
  password: string;
  organization?: string | undefined;
}
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
    first_run: Type.Boolean(),
    signed_in: Type.Boolean(),
    sso: Type.Array(Type.Object({ provider: Type.String(), name: Type.String(), start_url: Type.String() })),
  }),
);

export const OwnSignIn = named(
  'SignIn',
  Type.Object({
    id: Id,
    method: OneOf(['password', 'sso', 'key']),
    ip: Type.String(),
    user_agent: Type.String(),
    current: Type.Boolean(),
    created_at: Timestamp,
    last_used_at: Timestamp,
    expires_at: Timestamp,
  }),
);

explain('SignIn', {
  method: 'By a password, by single sign-on, or by the administrator key before the first password was set.',
  ip: 'The address it began at.',
  user_agent: 'The browser it began in, as that names itself.',
  current: 'True for the sign-in of this request.',
  last_used_at: 'Time of the last use, to the minute.',
  expires_at: 'When it expires at the latest.',
});
explain('SignInRequest', {
  email: 'Your e-mail address; omit it only with `key`.',
  password: 'Yours; omit it only with `key`.',
  key: 'The administrator key, while `first_run` is true; omit it to sign in with e-mail and password.',
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
  first_run: 'True while nobody has a password: the administrator key signs in.',
  signed_in: "True if the request's sign-in cookie is valid.",
  sso: 'The identity providers; `[]` for none.',
  'sso.provider': 'Its name in paths.',
  'sso.name': 'A display name from the operator, for a button.',
  'sso.start_url': 'The URL to open in the browser.',
});
