import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import { getConnection } from '../git-connections/service.ts';
import { Repository } from './schemas.ts';
import { listRepositories } from './service.ts';

/** The repositories of a git connection. */
export function connectionRepositoryRoutes(ctx: Pick<Context, 'db' | 'clock' | 'baseUrl'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/git-connections/:id/repositories',
      id: 'listGitConnectionRepositories',
      summary: "List a git connection's repositories",
      description: 'Newest first. The same as `GET /repositories`, for this connection only.',
      scope: 'repos:read',
      params: { id: Id },
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
