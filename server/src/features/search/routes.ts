import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Text } from '../../http/schema.ts';
import { foundTypes, SearchResults } from './schemas.ts';
import { search } from './service.ts';

export function searchRoutes(ctx: Pick<Context, 'db'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/search',
      id: 'searchOrganization',
      summary: 'Search',
      description:
        'Finds by title and name, sessions also by the start of their prompt: what has every word of `q`, or a word that ' +
        'begins with it. At most 10 of each type, newest first, of the types that your scopes read. Of a word that more ' +
        'than 5,000 have, the newest 2,000 of the type are searched first.',
      scope: 'any',
      query: Type.Object(
        {
          q: Text(200, { minLength: 1, description: 'Words, or starts of words.' }),
          types: Type.Optional(Text(200, { description: `Default all: ${foundTypes.join(', ')}` })),
        },
        { additionalProperties: false },
      ),
      status: 200,
      answer: SearchResults,
      handle: ({ caller, query }) => search(ctx, caller, query),
    }),
  ];
}
