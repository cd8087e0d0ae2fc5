import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, Id, List, ListQuery } from '../../http/schema.ts';
import { createConnection, updateConnection, verifyConnection, type CredentialContext } from './credential-service.ts';
import { rotateWebhookSecret } from './hook-service.ts';
import {
  CreateGitConnection,
  GitConnection,
  GitConnectionWithSecret,
  RotateWebhookSecret,
  UpdateGitConnection,
} from './schemas.ts';
import { deleteConnection, getConnection, listConnections } from './service.ts';
import * as examples from './examples.ts';

const path = '/git-connections';
const params = { id: Id };

export function gitConnectionRoutes(ctx: CredentialContext & Pick<Context, 'log'>): Route[] {
  return [
    route({
      method: 'GET',
      path,
      id: 'listGitConnections',
      summary: 'List git connections',
      description: 'Newest first. There is one to the built-in git host from the start.',
      scope: 'repos:read',
      query: ListQuery({}),
      status: 200,
      answer: List(GitConnection),
      handle: ({ caller, query }) => listConnections(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path,
      id: 'createGitConnection',
      summary: 'Create a git connection',
      description:
        'By a token, which the host must accept (400). 409 `conflict` for `local`, because every organization has that connection from the start.',
      scope: 'repos:write',
      body: CreateGitConnection,
      examples: examples.createGitConnection,
      status: 201,
      answer: GitConnection,
      errors: [502],
      handle: ({ caller, body }) => createConnection(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: `${path}/:id`,
      id: 'getGitConnection',
      summary: 'Get a git connection',
      description: 'Without its credentials.',
      scope: 'repos:read',
      params,
      status: 200,
      answer: GitConnection,
      handle: (exchange) => getConnection(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'PATCH',
      path: `${path}/:id`,
      id: 'updateGitConnection',
      summary: 'Update a git connection',
      description:
        'Its name, and its token: the new one is verified at the host first (400 if the host rejects it), and the old one is deleted. The host of a connection cannot be changed. 409 `conflict` for a token if the connection uses none.',
      scope: 'repos:write',
      params,
      body: UpdateGitConnection,
      examples: examples.updateGitConnection,
      status: 200,
      answer: GitConnection,
      errors: [502],
      handle: (exchange) => updateConnection(ctx, exchange.caller, exchange.params.id, exchange.body),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:id`,
      id: 'deleteGitConnection',
      summary: 'Delete a git connection',
      description:
        'Deletes its credential too. 409 `connection_in_use` while repositories use it, unless `force=true`: then they stay, but sessions on them fail until they are given another connection. 409 `conflict` for the built-in git host, which every organization keeps.',
      scope: 'repos:write',
      params,
      query: Type.Object({ force: Type.Optional(Type.Boolean({ default: false })) }, { additionalProperties: false }),
      status: 204,
      answer: Type.Null(),
      record: GitConnection,
      errors: [409],
      handle: (exchange) => deleteConnection(ctx, exchange.caller, exchange.params.id, exchange.query.force ?? false),
    }),
    route({
      method: 'POST',
      path: `${path}/:id/verify`,
      id: 'verifyGitConnection',
      summary: 'Verify a git connection',
      description:
        'Asks the host what the credential may do, and records the answer in `state`, `problem` and `missing_permissions`. If it works, `last_verified_at` is now. For the built-in git host, checks that its directory is writable; the request fails if it is not.',
      scope: 'repos:write',
      params,
      body: Body({}),
      status: 200,
      answer: GitConnection,
      errors: [502],
      handle: (exchange) => verifyConnection(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'POST',
      path: `${path}/:id/rotate-webhook-secret`,
      id: 'rotateGitConnectionWebhookSecret',
      summary: "Rotate a git connection's webhook secret",
      description:
        "Returns the new secret for the host's webhooks, once; the previous one stays valid for `overlap_seconds`. The webhooks that Guildhall created get the new one. 409 `conflict` for the built-in git host, which needs none, for an App, whose own secret its connections share, and for Pagure, which chooses the secret.",
      scope: 'repos:write',
      params,
      body: RotateWebhookSecret,
      examples: examples.rotateWebhookSecret,
      status: 200,
      answer: GitConnectionWithSecret,
      errors: [409],
      handle: (exchange) =>
        rotateWebhookSecret(ctx, exchange.caller, exchange.params.id, exchange.body.overlap_seconds),
    }),
  ];
}
