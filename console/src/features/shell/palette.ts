import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';

/** What the organization has for some words, of all types that the person may read. */
export function searchQuery(org: string, q: string) {
  return queryOptions({
    queryKey: keys.list(org, 'search', { q }),
    queryFn: async ({ signal }) =>
      (await unwrap(apiOf(org).GET('/v3/organizations/{orgId}/search', { params: { query: { q } }, signal }))).items,
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
}
