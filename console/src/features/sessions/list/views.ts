import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';

/** The saved views of the list of sessions, by name. */
export function viewsQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'views', { list: 'sessions' }),
    queryFn: async ({ signal }) => {
      const params = { query: { list: 'sessions', first: 200 } };
      const { items } = await unwrap(apiOf(org).GET('/v3/organizations/{orgId}/views', { params, signal }));
      return items.toSorted((a, b) => a.name.localeCompare(b.name));
    },
  });
}
