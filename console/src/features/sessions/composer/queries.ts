import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';

/** The first repositories whose name contains a text. */
export function repositoriesQuery(org: string, search: string) {
  return queryOptions({
    queryKey: keys.list(org, 'repositories', { search }),
    queryFn: async ({ signal }) => {
      const query = { first: 50, ...(search === '' ? {} : { search }) };
      const path = '/v3/organizations/{orgId}/repositories';
      return (await unwrap(apiOf(org).GET(path, { params: { query }, signal }))).items;
    },
    placeholderData: keepPreviousData,
  });
}

export function agentsQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'agents'),
    queryFn: async ({ signal }) =>
      (await unwrap(apiOf(org).GET('/agents', { params: { query: { first: 200 } }, signal }))).items,
  });
}
