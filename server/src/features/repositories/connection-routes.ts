import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery, Text } from '../../http/schema.ts';
import { listConnectionRepositories } from './reachable-service.ts';
import { ConnectionRepository } from './schemas.ts';

/** The repositories of a git connection. */
export function connectionRepositoryRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'sourceControl'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/git-connections/:id/repositories',
      id: 'listGitConnectionRepositories',
      summary: 'List the repositories that a git connection can reach',
      description:
        "By name that contains `search`, in the host's order. Connected ones have a `repository_id` and all fields of `Repository`. `total` counts the pages so far and one more if there is one. At the built-in git host: its repositories, newest first.",
      scope: 'repos:read',
      params: { id: Id },
      query: ListQuery({ search: Type.Optional(Text(200, { minLength: 1 })) }),
      status: 200,
      answer: List(ConnectionRepository),
      errors: [502],
      handle: ({ caller, params, query }) => listConnectionRepositories(ctx, caller, params.id, query),
    }),
  ];
}
