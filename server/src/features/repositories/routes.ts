import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Body, Id, List, ListQuery, Text } from '../../http/schema.ts';
import { deleteRepository, restoreRepository } from './deletion-service.ts';
import { CreateRepository, Repository, RepositoryTemplates, UpdateRepository } from './schemas.ts';
import { createRepository, listTemplates } from './create-service.ts';
import { getRepository, listRepositories, updateRepository } from './service.ts';
import * as examples from './examples.ts';

const params = { id: Id };

export function repositoryRoutes(
  ctx: Pick<
    Context,
    'db' | 'clock' | 'jobs' | 'log' | 'gitHost' | 'sourceControl' | 'baseUrl' | 'importRemote' | 'config' | 'disk'
  >,
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/repositories',
      id: 'listRepositories',
      summary: 'List repositories',
      description: 'Newest first. Repositories of other git hosts appear only after their import.',
      scope: 'repos:read',
      query: ListQuery({
        search: Type.Optional(Text(200, { minLength: 1 })),
        deleted: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'List repositories deleted in the last 30 days instead, which can be restored.',
          }),
        ),
      }),
      status: 200,
      answer: List(Repository),
      handle: ({ caller, query }) => listRepositories(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/repositories',
      id: 'createRepository',
      summary: 'Create a repository',
      description:
        'Creates it on the built-in git host, or connects one. `import_url` (http, https) is cloned before the ' +
        'response; nothing is created if that fails. With `template`, its first commit is a bundled project. ' +
        "Without both it is empty. 402 `budget_exceeded` if the organization's storage is " +
        'full.',
      scope: 'repos:write',
      body: CreateRepository,
      examples: examples.createRepository,
      status: 201,
      answer: Repository,
      errors: [402, 502],
      handle: ({ caller, body }) => createRepository(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/repositories/templates',
      id: 'listRepositoryTemplates',
      summary: 'List the templates of repositories',
      description:
        'Bundled projects for the `template` of a new repository, each with a first session on it: a prompt, and an ' +
        'agent that needs no model.',
      scope: 'repos:read',
      status: 200,
      answer: RepositoryTemplates,
      handle: async () => listTemplates(),
    }),
    route({
      method: 'GET',
      path: '/repositories/:id',
      id: 'getRepository',
      summary: 'Get a repository',
      description: 'Includes its `clone_url`, and how sessions set it up and check it.',
      scope: 'repos:read',
      params,
      status: 200,
      answer: Repository,
      handle: (exchange) => getRepository(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'PATCH',
      path: '/repositories/:id',
      id: 'updateRepository',
      summary: 'Update a repository',
      description:
        'Omitted parts of `environment` stay unchanged. Sessions provisioned from now on use it. 400 for a ' +
        'branch that does not exist; an empty repository accepts any.',
      scope: 'repos:write',
      params,
      body: UpdateRepository,
      examples: examples.updateRepository,
      status: 200,
      answer: Repository,
      errors: [502],
      handle: (exchange) => updateRepository(ctx, exchange.caller, exchange.params.id, exchange.body),
    }),
    route({
      method: 'DELETE',
      path: '/repositories/:id',
      id: 'deleteRepository',
      summary: 'Delete a repository',
      description:
        'It disappears at once for the API, for git and for sessions, with its change requests, secrets and MCP ' +
        'servers, and its name is free. It can be restored for 30 days; then it is purged. 409 ' +
        '`repository_in_use` while a change request is open or a session works or waits there, unless ' +
        '`force=true`.',
      scope: 'repos:write',
      params,
      query: Type.Object(
        { force: Type.Optional(Type.Boolean({ default: false, description: 'Delete it even if it is in use.' })) },
        { additionalProperties: false },
      ),
      errors: [409],
      status: 204,
      answer: Type.Null(),
      record: Repository,
      handle: (exchange) => deleteRepository(ctx, exchange.caller, exchange.params.id, exchange.query.force ?? false),
    }),
    route({
      method: 'POST',
      path: '/repositories/:id/restore',
      id: 'restoreRepository',
      summary: 'Restore a deleted repository',
      description:
        'Restores it with its commits, change requests, comments, secrets and MCP servers. 404 ' +
        '`repository_not_found` if it was deleted more than 30 days ago; 409 `repository_exists` while another ' +
        'repository has its name (delete that one first), and 409 `conflict` if it is not deleted.',
      scope: 'repos:write',
      params,
      body: Body({}),
      errors: [409],
      status: 200,
      answer: Repository,
      handle: (exchange) => restoreRepository(ctx, exchange.caller, exchange.params.id),
    }),
  ];
}
