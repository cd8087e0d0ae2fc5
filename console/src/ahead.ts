import { searchOf } from './features/sessions/list/filters.ts';
import { prefetchSession, prefetchSessions } from './features/sessions/prefetch.ts';
import { selfQuery } from './features/shell/organizations.ts';
import { queryClient } from './lib/query.ts';

/** Begins to read what the page at an address shows first, while the code that draws it is still on its way. */
export function readAhead({ pathname, search }: Pick<Location, 'pathname' | 'search'>): void {
  const [, org, resource, id] = /^\/console\/([\w-]+)(?:\/([\w-]+)(?:\/(ses_\w+))?)?\/?$/.exec(pathname) ?? [];
  // The pages before a sign-in are below `-`.
  if (org === undefined || org === '-') return;
  void queryClient.prefetchQuery(selfQuery(org));
  if (resource !== 'sessions') return;
  if (id === undefined) prefetchSessions(org, searchOf(Object.fromEntries(new URLSearchParams(search))));
  else prefetchSession(org, id);
}
