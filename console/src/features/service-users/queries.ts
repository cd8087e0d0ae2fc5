import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type ServiceUser = Schemas['ServiceUser'];

export const serviceUsersPath = '/v3/organizations/{orgId}/service-users';

export function serviceUsersQuery(org: string) {
  return listOptions(keys.list(org, 'service-users'), (query, signal) =>
    unwrap(apiOf(org).GET(serviceUsersPath, { params: { query }, signal })),
  );
}

export function serviceUserQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'service-users', id),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(`${serviceUsersPath}/{id}`, { params: { path: { id } }, signal })),
  });
}
