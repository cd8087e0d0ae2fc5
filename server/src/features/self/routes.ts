import { Type } from 'typebox';
import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, explain, Id, List, ListQuery, named, NullableTimestamp, OneOf, Timestamp } from '../../http/schema.ts';
import { createKeyFields, issuedField, keyFields, keyFilters, RevokeQuery, RotateKey } from '../keys/schemas.ts';
import { listKeys, ownerOf, revokeKey, rotateKey } from '../keys/service.ts';
import { createPersonalKey } from './service.ts';
import { changePassword } from '../auth/password-service.ts';
import type { FailureRecorder } from '../auth/failures.ts';
import { ChangePassword } from '../auth/schemas.ts';
import type { AuthContext } from '../auth/sign-in-service.ts';
import { setSignInCookie } from '../../http/cookie.ts';
import * as authExamples from '../auth/examples.ts';
import * as keyExamples from '../keys/examples.ts';

const Self = named(
  'Self',
  Type.Object({
    principal_type: OneOf(['user', 'service_user', 'app', 'session']),
    principal_id: Id,
    name: Type.String(),
    email: Type.String(),
    organization: Type.Object({ id: Id, slug: Type.String(), name: Type.String() }),
    scopes: Type.Array(Type.String()),
    role: OneOf(['pro', 'regular', '']),
    permission: OneOf(['admin', 'member', 'viewer', '']),
    key: Type.Object({
      id: Id,
      prefix: Type.String(),
      last4: Type.String(),
      created_at: Timestamp,
      expires_at: NullableTimestamp,
      last_used_at: NullableTimestamp,
    }),
    api_version: Type.String(),
  }),
);

const PersonalKey = named('PersonalKey', Type.Object(keyFields));
const IssuedPersonalKey = named('IssuedPersonalKey', Type.Object({ ...keyFields, ...issuedField }));
const ChangedPassword = named('ChangedPassword', Type.Object({ changed_at: Timestamp }));
const CreatePersonalKey = Body({
  ...createKeyFields,
  organization_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Another one that you are a member of, by id or slug; the one you ask in unless given.',
    }),
  ),
});

explain('Self', {
  principal_type: 'What the key belongs to: a person, a service user, an app, or a session.',
  principal_id: 'The id of that.',
  name: "The person's or machine's name; of a session its title.",
  email: 'The person\'s; "" for a machine.',
  organization: 'The organization that the key opens.',
  scopes: "What the key may do; of a person's key, what their permission leaves of it.",
  role: '`pro` or `regular`; "" for a machine.',
  permission: 'What the person may do; "" for a machine.',
  key: 'The key that asks.',
  api_version: 'The version of this API: `info.version` of the document.',
});
explain('ChangePasswordRequest', {
  current_password: 'The one there is; left out where there is none yet.',
});
explain('ChangedPassword', { changed_at: 'When that was: now.' });

/** The routes are for persons alone: a machine gets its keys from whoever runs it. */
function personOf({ principal, organization }: AuthenticatedCaller) {
  return ownerOf(organization.id, 'user', principal.id);
}

/** Below `/v3`. */
export function selfRoutes(ctx: AuthContext & Pick<Context, 'baseUrl'>, failures: FailureRecorder): Route[] {
  return [
    route({
      method: 'GET',
      path: '/self',
      id: 'getSelf',
      summary: 'Get the current principal',
      description:
        'Answers whatever the key may do, so it is the way to try one. By cookie, `key` is the sign-in: an id and no characters to show.',
      scope: 'any',
      whileSuspended: true,
      status: 200,
      answer: Self,
      handle: ({ caller }) => describeSelf(caller),
    }),
    route({
      method: 'PUT',
      path: '/self/password',
      id: 'changePassword',
      summary: 'Set your password',
      description:
        'Ends every sign-in of yours; one that asks by cookie gets a new cookie. `current_password` is required once there is a password.',
      scope: 'any',
      persons: true,
      personal: true,
      body: ChangePassword,
      examples: authExamples.changePassword,
      status: 200,
      answer: ChangedPassword,
      handle: async ({ caller, body, reply }) => {
        const { changedAt, signIn } = await changePassword(ctx, caller, body, failures);
        if (signIn !== undefined) setSignInCookie(reply, ctx.baseUrl(), signIn.token, signIn.expires);
        return { changed_at: changedAt };
      },
    }),
    route({
      method: 'GET',
      path: '/self/keys',
      id: 'listPersonalKeys',
      summary: 'List your keys',
      description: 'Newest first, revoked ones too; never the keys themselves, nor your tool token.',
      scope: 'any',
      persons: true,
      query: ListQuery(keyFilters),
      status: 200,
      answer: List(PersonalKey),
      handle: ({ caller, query }) => listKeys(ctx, personOf(caller), query),
    }),
    route({
      method: 'POST',
      path: '/self/keys',
      id: 'createPersonalKey',
      summary: 'Create a key',
      description:
        'Scopes that your own key lacks cannot be given, nor a later end or other addresses than its own (403 `forbidden`); what you leave out is as with your own. What you may do in the organization limits it too, later as well. 409 `conflict` beyond 500 keys of yours there that work. The answer shows the key this once; a repetition by `Idempotency-Key` leaves it out.',
      scope: 'any',
      persons: true,
      body: CreatePersonalKey,
      examples: keyExamples.createKey,
      status: 201,
      answer: IssuedPersonalKey,
      handle: ({ caller, body }) => createPersonalKey(ctx, caller, personOf(caller), body),
    }),
    route({
      method: 'DELETE',
      path: '/self/keys/:keyId',
      id: 'revokePersonalKey',
      summary: 'Revoke a key',
      description:
        'At once, on every process, open streams too; also the key that asks. Any key of yours may, for ending one gives nobody more. What it made goes with it, unless `made=keep`: keys, tool tokens and invitations that wait, and what those keys made; not the key that asks and what that one made, and of machines and invitations only where you have `org:write`. 409 `already_revoked` the second time.',
      scope: 'any',
      persons: true,
      params: { keyId: Id },
      query: RevokeQuery,
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: ({ caller, params, query }) => revokeKey(ctx, caller, personOf(caller), params.keyId, query),
    }),
    route({
      method: 'POST',
      path: '/self/keys/:keyId/rotate',
      id: 'rotatePersonalKey',
      summary: 'Rotate a key',
      description:
        'The new key has the name, scopes, end and addresses of the old one, which works for `overlap_seconds` more. 409 `already_revoked`, or `conflict` for one that has expired and where both would be more than 500; 403 `forbidden` where it has scopes that yours lacks, a later end or other addresses. The answer shows the key this once; a repetition by `Idempotency-Key` leaves it out.',
      scope: 'any',
      persons: true,
      params: { keyId: Id },
      body: RotateKey,
      examples: keyExamples.rotateKey,
      status: 200,
      answer: IssuedPersonalKey,
      handle: ({ caller, params, body }) =>
        rotateKey(ctx, caller, personOf(caller), params.keyId, body.overlap_seconds ?? 0),
    }),
  ];
}

function describeSelf(caller: AuthenticatedCaller) {
  const { principal, organization, credential } = caller;
  const { prefix, last4 } = credential.kind === 'sign_in' ? { prefix: '', last4: '' } : credential;
  return {
    principal_type: principal.type,
    principal_id: principal.id,
    name: principal.name,
    email: principal.email,
    organization,
    scopes: [...caller.scopes],
    role: caller.role,
    permission: caller.permission,
    key: {
      id: credential.id,
      prefix,
      last4,
      created_at: credential.createdAt,
      expires_at: credential.expiresAt,
      last_used_at: credential.lastUsedAt,
    },
    api_version: '3.0.0',
  };
}
