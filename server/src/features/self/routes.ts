import { Type } from 'typebox';
import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, explain, Id, List, ListQuery, named, NullableTimestamp, OneOf, Timestamp } from '../../http/schema.ts';
import { createKeyFields, issuedField, keyFields, keyFilters, RevokeQuery, RotateKey } from '../keys/schemas.ts';
import { listKeys, ownerOf, revokeKey, rotateKey } from '../keys/service.ts';
import { createPersonalKey, describeSelf } from './service.ts';
import { GroupLimits } from '../groups/schemas.ts';
import { changePassword } from '../auth/password-service.ts';
import type { FailureRecorder } from '../auth/failures.ts';
import { ChangePassword } from '../auth/schemas.ts';
import type { AuthContext } from '../auth/sign-in-service.ts';
import { setSignInCookie } from '../../http/cookie.ts';
import * as authExamples from '../auth/examples.ts';
import * as keyExamples from '../keys/examples.ts';

const Permission = OneOf(['admin', 'member', 'viewer', '']);

const Self = named(
  'Self',
  Type.Object({
    principal_type: OneOf(['user', 'service_user', 'app', 'session']),
    principal_id: Id,
    name: Type.String(),
    email: Type.String(),
    organization: Type.Object({ id: Id, slug: Type.String(), name: Type.String() }),
    organizations: Type.Array(
      Type.Object({ id: Id, slug: Type.String(), name: Type.String(), permission: Permission }),
    ),
    scopes: Type.Array(Type.String()),
    role: OneOf(['pro', 'regular', '']),
    permission: Permission,
    limits: Type.Object({
      groups: Type.Array(GroupLimits),
      max_concurrent: Type.Integer(),
      running: Type.Integer(),
      max_concurrent_own: Type.Integer(),
      running_own: Type.Integer(),
    }),
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
      description: 'Another organization that you are a member of, by id or slug; default the current one.',
    }),
  ),
});

explain('Self', {
  principal_type: "The key's owner: a user, a service user, an app, or a session.",
  principal_id: "The owner's id.",
  name: 'Name of the user, service user or app; for a session its title.',
  email: 'The user\'s e-mail; "" for other principals.',
  organization: "The key's organization.",
  organizations:
    'The organizations of a user, newest first, at most 200; `GET /v3/organizations` lists all. Other principals have one.',
  'organizations.permission': 'The permission in this organization; "" for other principals than users.',
  scopes: "The key's scopes; for a user's key limited by their permission.",
  role: '`pro` or `regular`; "" for other principals than users.',
  permission: 'The user\'s permission; "" for other principals.',
  limits: 'What limits the sessions that the caller starts in this organization.',
  'limits.groups': "The user's groups, at most 100; [] for other principals.",
  'limits.max_concurrent': 'The maximum number of sessions of the organization that run at once; 0 for no limit.',
  'limits.running': 'The number of them that run now.',
  'limits.max_concurrent_own':
    'The maximum number of sessions of a user with the role `regular` that run at once; 0 for no limit of their own.',
  'limits.running_own': "The number of the user's sessions that run now; 0 for other principals.",
  key: 'The calling key.',
  api_version: 'The API version: `info.version` of the document.',
});
explain('ChangePasswordRequest', {
  current_password: 'The current password; omit if you have none yet.',
});
explain('ChangedPassword', { changed_at: 'When it was changed: now.' });

/** Returns the user behind a request. Other principals cannot manage keys here; their administrators do. */
function requireUser({ principal, organization }: AuthenticatedCaller) {
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
        'Works with any scopes, so you can test a key with it. With a cookie, `key` is the sign-in: an id ' +
        'without displayable characters.',
      scope: 'any',
      whileSuspended: true,
      status: 200,
      answer: Self,
      handle: ({ caller }) => describeSelf(ctx, caller),
    }),
    route({
      method: 'PUT',
      path: '/self/password',
      id: 'changePassword',
      summary: 'Set your password',
      description:
        'Ends all your sign-ins; a caller with a cookie gets a new one. `current_password` is required if you ' +
        'have a password.',
      scope: 'any',
      persons: true,
      personal: true,
      body: ChangePassword,
      examples: authExamples.changePassword,
      status: 200,
      answer: ChangedPassword,
      sends: ['set-cookie'],
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
      description: 'Newest first, including revoked ones; never the keys themselves, nor your MCP token.',
      scope: 'any',
      persons: true,
      query: ListQuery(keyFilters),
      status: 200,
      answer: List(PersonalKey),
      handle: ({ caller, query }) => listKeys(ctx, requireUser(caller), query),
    }),
    route({
      method: 'POST',
      path: '/self/keys',
      id: 'createPersonalKey',
      summary: 'Create a key',
      description:
        'A key cannot have scopes, a later end or other addresses than your own key (403 `forbidden`); what you ' +
        'omit is copied from it. Your permission in the organization also limits it, now and later. 409 ' +
        '`conflict` beyond 500 active keys of yours there. The response shows the key only once; a repeated ' +
        'request with the same `Idempotency-Key` omits it.',
      scope: 'any',
      persons: true,
      body: CreatePersonalKey,
      examples: keyExamples.createKey,
      status: 201,
      answer: IssuedPersonalKey,
      handle: ({ caller, body }) => createPersonalKey(ctx, caller, requireUser(caller), body),
    }),
    route({
      method: 'DELETE',
      path: '/self/keys/:keyId',
      id: 'revokePersonalKey',
      summary: 'Revoke a key',
      description:
        'Takes effect at once, on every process, also for open streams; the calling key can revoke itself. Any key ' +
        'of yours can do this, because a revocation grants nothing. Unless `made=keep`, also revokes what the ' +
        'key created, recursively: keys, MCP tokens and pending invitations; not the calling key and what that ' +
        'created, and keys of service users and apps and invitations only where you have `org:write`. 409 ' +
        '`already_revoked` the second time.',
      scope: 'any',
      persons: true,
      params: { keyId: Id },
      query: RevokeQuery,
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: ({ caller, params, query }) => revokeKey(ctx, caller, requireUser(caller), params.keyId, query),
    }),
    route({
      method: 'POST',
      path: '/self/keys/:keyId/rotate',
      id: 'rotatePersonalKey',
      summary: 'Rotate a key',
      description:
        'The new key has the name, scopes, end and addresses of the old one, which works for `overlap_seconds` ' +
        'more. 409 `already_revoked`, or `conflict` for an expired key and if both would exceed 500; 403 ' +
        '`forbidden` if it has scopes, a later end or other addresses than yours. The response shows the key ' +
        'only once; a repeated request with the same `Idempotency-Key` omits it.',
      scope: 'any',
      persons: true,
      params: { keyId: Id },
      body: RotateKey,
      examples: keyExamples.rotateKey,
      status: 200,
      answer: IssuedPersonalKey,
      handle: ({ caller, params, body }) =>
        rotateKey(ctx, caller, requireUser(caller), params.keyId, body.overlap_seconds ?? 0),
    }),
  ];
}
