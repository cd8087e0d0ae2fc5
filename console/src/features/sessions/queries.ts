import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import type { Filters } from './list/filters.ts';

const path = '/v3/organizations/{orgId}/sessions';

function parametersOf({ q, by, ...rest }: Filters) {
  return { ...rest, ...(q === undefined ? {} : { search: q }), ...(by === undefined ? {} : { created_by: by }) };
}

/** The sessions that fit the filters, newest first, 50 a page, without what is long. */
export function sessionsQuery(org: string, filters: Filters) {
  return infiniteQueryOptions({
    queryKey: keys.list(org, 'sessions', filters),
    initialPageParam: '',
    queryFn: ({ pageParam: after, signal }) => {
      const view = 'summary' as const;
      const query = { first: 50, view, ...parametersOf(filters), ...(after === '' ? {} : { after }) };
      return unwrap(apiOf(org).GET(path, { params: { query }, signal }));
    },
    getNextPageParam: ({ has_next_page: hasNext, end_cursor: end }) => (hasNext ? end : undefined),
  });
}

/** How many sessions of all states fit the other filters. */
export function countsQuery(org: string, { status: _status, attention: _attention, ...filters }: Filters) {
  return queryOptions({
    queryKey: keys.list(org, 'sessions', { counts: filters }),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${path}/counts`, { params: { query: parametersOf(filters) }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function sessionQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'sessions', id),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/{id}`, { params: { path: { id } }, signal })),
  });
}
