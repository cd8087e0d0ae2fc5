import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type Group = Schemas['Group'];
export type GroupUsage = Schemas['GroupUsage'];
export type Amount = keyof Group['limits']['per_day'];

const path = '/v3/organizations/{orgId}/groups';

export function groupsQuery(org: string) {
  return listOptions(keys.list(org, 'groups'), (query, signal) =>
    unwrap(apiOf(org).GET(path, { params: { query }, signal })),
  );
}

export function groupQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'groups', id),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(`${path}/{id}`, { params: { path: { id } }, signal })),
  });
}

/** What a group has used today; read again each minute while it is shown. */
export function groupUsageQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'groups', id, 'usage'),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/{id}/usage`, { params: { path: { id } }, signal })),
    refetchInterval: 60_000,
  });
}

export function groupMembersQuery(org: string, id: string) {
  return listOptions(keys.part(org, 'groups', id, 'members'), (query, signal) =>
    unwrap(apiOf(org).GET(`${path}/{id}/members`, { params: { path: { id }, query }, signal })),
  );
}
