import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import type { Filters } from './list/filters.ts';

const path = '/v3/organizations/{orgId}/sessions';

/** The sessions that fit the filters, newest first, 50 a page. */
export function sessionsQuery(org: string, filters: Filters) {
  const { q: search, ...rest } = filters;
  return infiniteQueryOptions({
    queryKey: keys.list(org, 'sessions', filters),
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = {
        first: 50,
        ...rest,
        ...(search === undefined ? {} : { search }),
        ...(pageParam === '' ? {} : { after: pageParam }),
      };
      return unwrap(apiOf(org).GET(path, { params: { query }, signal }));
    },
    getNextPageParam: ({ has_next_page: hasNext, end_cursor: end }) => (hasNext ? end : undefined),
  });
}

export function sessionQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'sessions', id),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/{id}`, { params: { path: { id } }, signal })),
  });
}
