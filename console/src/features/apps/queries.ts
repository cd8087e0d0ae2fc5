import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type App = Schemas['App'];

export function appsQuery(org: string) {
  return listOptions(keys.list(org, 'apps'), (query, signal) =>
    unwrap(apiOf(org).GET('/apps', { params: { query }, signal })),
  );
}

const pages = 50;

/** An app; null for none. The API lists apps, but does not read one. */
export function appQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'apps', id),
    queryFn: async ({ signal }): Promise<App | null> => {
      let after: string | undefined;
      for (let page = 0; page < pages; page += 1) {
        const query = { first: 200, ...(after === undefined ? {} : { after }) };
        const {
          items,
          has_next_page: hasNext,
          end_cursor: end,
        } = await unwrap(apiOf(org).GET('/apps', { params: { query }, signal }));
        const found = items.find((app) => app.id === id);
        if (found !== undefined) return found;
        if (!hasNext) return null;
        after = end;
      }
      return null;
    },
  });
}
