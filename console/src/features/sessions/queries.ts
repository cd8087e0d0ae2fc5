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

/** What a session asked for, newest first. */
export function approvalsQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'sessions', id, 'approvals'),
    queryFn: async ({ signal }) =>
      (
        await unwrap(
          apiOf(org).GET(`${path}/{id}/approvals`, { params: { path: { id }, query: { first: 100 } }, signal }),
        )
      ).items,
  });
}

/** Turns, phases and marks of a log. It is read again at an interval while the session works, not with every event. */
export function outlineQuery(org: string, id: string, isWorking: boolean) {
  return queryOptions({
    queryKey: [org, 'session-outline', id],
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/{id}/outline`, { params: { path: { id } }, signal })),
    refetchInterval: isWorking ? 10_000 : false,
  });
}
