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
      description: 'Newest first, revoked ones too; never the keys themselves.',
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
        'Scopes that your own key lacks cannot be given, nor a later end or other addresses than its own (403 `forbidden`); what you leave out is as with your own. 409 `conflict` for a disabled service user, and beyond 500 keys that work. The answer shows the key this once; a repetition by `Idempotency-Key` leaves it out.',
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
        'At once, on every process, open streams too. What it made goes with it, unless `made=keep`: keys, tool tokens and invitations that wait, and what those keys made; not the key that asks and what that one made. 409 `already_revoked` the second time.',
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
        'The new key has the name, scopes, end and addresses of the old one, which works for `overlap_seconds` more. 409 `already_revoked`, or `conflict` for one that has expired and for a disabled service user; 403 `forbidden` where it has scopes that yours lacks, a later end or other addresses. The answer shows the key this once; a repetition by `Idempotency-Key` leaves it out.',
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
