import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';

/** All namespaces that have settings. */
export function settingsQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'settings'),
    queryFn: async ({ signal }) => {
      const path = '/v3/organizations/{orgId}/settings';
      const { items } = await unwrap(apiOf(org).GET(path, { params: { query: { first: 200 } }, signal }));
      return items.filter(({ value }) => Object.keys(value).length > 0);
    },
  });
}

export function namespaceQuery(org: string, namespace: string) {
  return queryOptions({
    queryKey: keys.one(org, 'settings', namespace),
    queryFn: ({ signal }) =>
      unwrap(
        apiOf(org).GET('/v3/organizations/{orgId}/settings/{namespace}', { params: { path: { namespace } }, signal }),
      ),
  });
}

export function schemaQuery(org: string, namespace: string) {
  return queryOptions({
    queryKey: keys.part(org, 'settings', namespace, 'schema'),
    queryFn: ({ signal }) => {
      const path = '/v3/organizations/{orgId}/settings/{namespace}/schema';
      return unwrap(apiOf(org).GET(path, { params: { path: { namespace } }, signal }));
    },
    staleTime: Infinity,
  });
}
