import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';
import { periods, type Filters } from './list/filters.ts';

const path = '/v3/organizations/{orgId}/sessions';

function parametersOf({ q, by, since, ...rest }: Filters) {
  return {
    ...rest,
    ...(q === undefined ? {} : { search: q }),
    ...(by === undefined ? {} : { created_by: by }),
    ...(since === undefined ? {} : { created_after: hoursAgo(periods[since][1]) }),
  };
}

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

/** The sessions that fit the filters, newest first, 50 a page, without what is long. */
export function sessionsQuery(org: string, filters: Filters) {
  return listOptions(keys.list(org, 'sessions', filters), (page, signal) => {
    const query = { ...page, view: 'summary' as const, ...parametersOf(filters) };
    return unwrap(apiOf(org).GET(path, { params: { query }, signal }));
  });
}

/** How many sessions of all states fit the other filters. */
export function countsQuery(org: string, { status: _status, attention: _attention, sort: _sort, ...filters }: Filters) {
  return queryOptions({
    queryKey: keys.list(org, 'sessions', { counts: filters }),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${path}/counts`, { params: { query: parametersOf(filters) }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** Who waits, and how many could start. */
export function queueQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'sessions', { queue: true }),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/queue`, { signal })),
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
