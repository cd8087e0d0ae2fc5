import { Type } from 'typebox';
import type { Context } from '../../../app/context.ts';
import { route, type Route } from '../../../http/route.ts';
import { Id } from '../../../http/schema.ts';
import { RepositoryIndex, SearchQuery, SearchResults } from './schemas.ts';
import { searchRepository } from './search-service.ts';
import { deleteIndex, getIndex, putIndex } from './service.ts';

const params = { id: Id };

export function indexRoutes(ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'sourceControl'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/repositories/:id/index',
      id: 'getRepositoryIndex',
      summary: "Get a repository's index",
      description: 'Its state and progress, what it has, and what it left out.',
      scope: 'repos:read',
      params,
      status: 200,
      answer: RepositoryIndex,
      handle: (exchange) => getIndex(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'PUT',
      path: '/repositories/:id/index',
      id: 'putRepositoryIndex',
      summary: 'Index a repository',
      description:
        'Indexes its default branch in the background; an existing index is built anew. From then on every push to ' +
        'the default branch updates it, and only changed files are read again.',
      scope: 'repos:write',
      params,
      status: 202,
      answer: RepositoryIndex,
      handle: (exchange) => putIndex(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'DELETE',
      path: '/repositories/:id/index',
      id: 'deleteRepositoryIndex',
      summary: "Delete a repository's index",
      description: 'It is not updated any more. Text and paths can still be searched.',
      scope: 'repos:write',
      params,
      status: 204,
      answer: Type.Null(),
      handle: (exchange) => deleteIndex(ctx, exchange.caller, exchange.params.id),
    }),
    route({
      method: 'GET',
      path: '/repositories/:id/search',
      id: 'searchRepository',
      summary: 'Search a repository',
      description:
        'Searches the indexed commit, without an index the tip of the default branch. `text` finds lines by git, `path` ' +
        'files by their path, `symbol` definitions in the index: 409 `conflict` while there is none. Upper and lower ' +
        'case differ only in `text`, and only if `q` has an upper-case letter. Ends after 30 s with 502.',
      scope: 'repos:read',
      params,
      query: SearchQuery,
      status: 200,
      errors: [409, 502],
      answer: SearchResults,
      handle: ({ caller, params: { id }, query }) => searchRepository(ctx, caller, id, query),
    }),
  ];
}
