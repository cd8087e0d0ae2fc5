import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id, Text } from '../../http/schema.ts';
import { RepositoryWiki, WikiPage } from './schemas.ts';
import { getPage, getWiki, regenerateWiki } from './service.ts';

const params = { id: Id };

export function wikiRoutes(ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'config'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/repositories/:id/wiki',
      id: 'getWiki',
      summary: "Get a repository's wiki",
      description: 'Its state, and its pages without their text.',
      scope: 'repos:read',
      params,
      status: 200,
      answer: RepositoryWiki,
      handle: ({ caller, params: { id } }) => getWiki(ctx, caller, id),
    }),
    route({
      method: 'GET',
      path: '/repositories/:id/wiki/pages/:slug',
      id: 'getWikiPage',
      summary: 'Get a page of a wiki',
      description: 'Facts about the code, each with a link to its line, and what a model wrote from them.',
      scope: 'repos:read',
      params: { id: Id, slug: Text(120, { minLength: 1, description: 'The slug of a page.' }) },
      status: 200,
      answer: WikiPage,
      handle: ({ caller, params: { id, slug } }) => getPage(ctx, caller, id, slug),
    }),
    route({
      method: 'POST',
      path: '/repositories/:id/wiki/regenerate',
      id: 'regenerateWiki',
      summary: 'Generate a wiki',
      description:
        'Makes the wiki of the default branch in the background; creates the index that it needs. From then on every ' +
        'push to the default branch updates it. Then sessions write prose for the pages that have none or whose files ' +
        'changed, if a model is configured and the credential has the scope `run`; a push starts none. Each runs for ' +
        'the principal that asked, reads only, writes at most 12 pages, and uses at most 3,000,000 tokens; the next one ' +
        'starts when it has ended, until `prose_left` is 0. Cancel the session to stop. 402 `budget_exceeded` if the ' +
        "organization's storage is full.",
      errors: [402],
      scope: 'repos:write',
      params,
      status: 202,
      answer: RepositoryWiki,
      handle: ({ caller, params: { id } }) => regenerateWiki(ctx, caller, id),
    }),
  ];
}
