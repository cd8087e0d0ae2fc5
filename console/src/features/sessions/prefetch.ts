import { queryClient } from '../../lib/query.ts';
import { columns } from './board/columns.ts';
import { filtersOf, isOnBoard, type ListSearch } from './list/filters.ts';
import { countsQuery, sessionQuery, sessionsQuery } from './queries.ts';

/** Begins to read what the list of sessions shows, while its page is still on its way. */
export function prefetchSessions(org: string, search: ListSearch): void {
  const filters = filtersOf(search);
  void queryClient.prefetchQuery(countsQuery(org, filters));
  const lists = isOnBoard(search) ? columns.map(({ set }) => ({ ...filters, ...set })) : [filters];
  for (const list of lists) void queryClient.prefetchInfiniteQuery(sessionsQuery(org, list));
}

/** The same of a session. */
export function prefetchSession(org: string, id: string): void {
  void queryClient.prefetchQuery(sessionQuery(org, id));
}
