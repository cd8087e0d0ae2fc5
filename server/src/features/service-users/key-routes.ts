import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, Id, List, ListQuery } from '../../http/schema.ts';
import { createKeyFields, keyFilters, RevokeQuery, RotateKey } from '../keys/schemas.ts';
import { IssuedServiceUserKey, ServiceUserKey } from './schemas.ts';
import {
  createServiceUserKey,
  listServiceUserKeys,
  revokeServiceUserKey,
  rotateServiceUserKey,
} from './key-service.ts';
import * as keyExamples from '../keys/examples.ts';

const path = '/service-users/:id/keys';

export function serviceUserKeyRoutes(ctx: Pick<Context, 'db' | 'clock'>): Route[] {
  return [
    route({
      method: 'GET',
      path,
      id: 'listServiceUserKeys',
      summary: "List a service user's keys",
      description: 'Newest first, including revoked ones; never the keys themselves.',
      scope: 'org:read',
      params: { id: Id },
      query: ListQuery(keyFilters),
      status: 200,
      answer: List(ServiceUserKey),
      handle: ({ caller, params, query }) => listServiceUserKeys(ctx, caller, params.id, query),
    }),
    route({
      method: 'POST',
      path,
      id: 'createServiceUserKey',
      summary: "Create a service user's key",
      description:
        'A key cannot have scopes, a later end or other addresses than your own key (403 `forbidden`); what you ' +
        'omit is copied from it. 409 `conflict` for a disabled service user, and beyond 500 active keys. The ' +
        'response shows the key only once; a repeated request with the same `Idempotency-Key` omits it.',
      scope: 'org:write',
      params: { id: Id },
      body: Body(createKeyFields),
      examples: keyExamples.createKey,
      status: 201,
      answer: IssuedServiceUserKey,
      handle: ({ caller, params, body }) => createServiceUserKey(ctx, caller, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:keyId`,
      id: 'revokeServiceUserKey',
      summary: "Revoke a service user's key",
      description:
        'Takes effect at once, on every process, also for open streams. Unless `made=keep`, also revokes what ' +
        'the key created, recursively: keys, MCP tokens and pending invitations; not the calling key and what that ' +
        'created. 409 `already_revoked` the second time.',
      scope: 'org:write',
      params: { id: Id, keyId: Id },
      query: RevokeQuery,
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: ({ caller, params, query }) => revokeServiceUserKey(ctx, caller, params.id, params.keyId, query),
    }),
    route({
      method: 'POST',
      path: `${path}/:keyId/rotate`,
      id: 'rotateServiceUserKey',
      summary: "Rotate a service user's key",
      description:
        'The new key has the name, scopes, end and addresses of the old one, which works for `overlap_seconds` ' +
        'more. 409 `already_revoked`, or `conflict` for an expired key and for a disabled service user; 403 ' +
        '`forbidden` if it has scopes, a later end or other addresses than yours. The response shows the key ' +
        'only once; a repeated request with the same `Idempotency-Key` omits it.',
      scope: 'org:write',
      params: { id: Id, keyId: Id },
      body: RotateKey,
      examples: keyExamples.rotateKey,
      status: 200,
      answer: IssuedServiceUserKey,
      handle: ({ caller, params, body }) =>
        rotateServiceUserKey(ctx, caller, params.id, params.keyId, body.overlap_seconds ?? 0),
    }),
  ];
}
