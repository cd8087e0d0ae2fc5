import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type Connection = Schemas['GitConnection'];
export type GitApp = Schemas['GitApp'];
export type Reachable = Schemas['ConnectionRepository'];
export type Provider = Connection['provider'];

export const connectionsPath = '/v3/organizations/{orgId}/git-connections';

export function connectionsQuery(org: string) {
  return listOptions<Connection>(keys.list(org, 'git-connections'), (page, signal) =>
    unwrap(apiOf(org).GET(connectionsPath, { params: { query: page }, signal })),
  );
}

export function connectionQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'git-connections', id),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(`${connectionsPath}/{id}`, { params: { path: { id } }, signal })),
  });
}

/** The GitHub Apps that were created here. */
export function appsQuery(org: string) {
  return listOptions<GitApp>(keys.list(org, 'git-apps'), (page, signal) =>
    unwrap(apiOf(org).GET(`${connectionsPath}/apps`, { params: { query: { ...page, first: 200 } }, signal })),
  );
}

/** Not below the key of the connection: asking its host again takes a reason. */
export function reachableKey(org: string, id: string) {
  return [org, 'git-connection-repositories', id] as const;
}

/** The repositories that a connection reaches, as its host lists them. */
export function reachableQuery(org: string, id: string, search: string) {
  const key = [...reachableKey(org, id), search];
  return {
    ...listOptions<Reachable>(key, (page, signal) => {
      const query = { ...page, ...(search === '' ? {} : { search }) };
      return unwrap(
        apiOf(org).GET(`${connectionsPath}/{id}/repositories`, { params: { path: { id }, query }, signal }),
      );
    }),
    // The host says at once if it rejects the credential; another try changes nothing.
    retry: false,
    staleTime: 60_000,
  };
}
