import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, Id, List, ListQuery } from '../../http/schema.ts';
import { Repository } from '../repositories/schemas.ts';
import { listRepositories } from '../repositories/service.ts';
import { CreateGitConnection, GitConnection, UpdateGitConnection } from './schemas.ts';
import {
  createConnection,
  deleteConnection,
  getConnection,
  listConnections,
  updateConnection,
  verifyConnection,
} from './service.ts';
import * as examples from './examples.ts';

const path = '/git-connections';
const params = { id: Id };

export function gitConnectionRoutes(ctx: Pick<Context, 'db' | 'clock' | 'gitHost' | 'baseUrl'>): Route[] {
  return [
    route({
      method: 'GET',
      path,
      id: 'listGitConnections',
      summary: 'List git connections',
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
      summary: 'Connect a git host (none can be connected in this version)',
      description:
        'Refuses every body: `local` with 409, as every organization has that connection from the start, and `github` and `gitlab` with 400. Import their repositories with `import_url` of `POST /repositories`.',
      scope: 'repos:write',
      body: CreateGitConnection,
      examples: examples.createGitConnection,
      status: 201,
      answer: GitConnection,
      handle: ({ caller, body }) => createConnection(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: `${path}/:id`,
      id: 'getGitConnection',
      summary: 'Get a git connection',
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
      summary: 'Rename a git connection',
      scope: 'repos:write',
      params,
      body: UpdateGitConnection,
      examples: examples.updateGitConnection,
      status: 200,
      answer: GitConnection,
      handle: (exchange) => updateConnection(ctx, exchange.caller, exchange.params.id, exchange.body),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:id`,
      id: 'deleteGitConnection',
      summary: 'Disconnect a git host',
      scope: 'repos:write',
      params,
      query: Type.Object({ force: Type.Optional(Type.Boolean({ default: false })) }, { additionalProperties: false }),
      status: 204,
      answer: Type.Null(),
      errors: [409],
      handle: (exchange) => deleteConnection(ctx, exchange.caller, exchange.params.id, exchange.query.force ?? false),
    }),
    route({
      method: 'POST',
      path: `${path}/:id/verify`,
      id: 'verifyGitConnection',
      summary: 'Look whether a git connection works',
      scope: 'repos:write',
      params,
      body: Body({}),
      status: 200,
      answer: GitConnection,
      handle: (exchange) => verifyConnection(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'GET',
      path: `${path}/:id/repositories`,
      id: 'listGitConnectionRepositories',
      summary: 'List the repositories that a git connection exposes',
      scope: 'repos:read',
      params,
      query: ListQuery({}),
      status: 200,
      answer: List(Repository),
      handle: async (exchange) => {
        const connection = await getConnection(ctx, exchange.caller, exchange.params.id);
        return listRepositories(ctx, exchange.caller, exchange.query, connection.id);
      },
    }),
  ];
}
