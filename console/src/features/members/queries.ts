import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type Member = Schemas['Member'];
export type Invite = Schemas['Invite'];

const path = '/v3/organizations/{orgId}/members';

export interface MemberFilters {
  q?: string;
  permission?: string;
}

export function membersQuery(org: string, { q, permission }: MemberFilters) {
  return listOptions(keys.list(org, 'members', { q, permission }), (page, signal) => {
    const filters = { ...(q === undefined ? {} : { search: q }), ...(permission === undefined ? {} : { permission }) };
    return unwrap(apiOf(org).GET(path, { params: { query: { ...page, ...filters } }, signal }));
  });
}

export function memberQuery(org: string, userId: string) {
  return queryOptions({
    queryKey: keys.one(org, 'members', userId),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(`${path}/{userId}`, { params: { path: { userId } }, signal })),
  });
}

/** The role of a member, which is a record of its own. */
export function roleQuery(org: string, userId: string) {
  return queryOptions({
    queryKey: keys.part(org, 'members', userId, 'role'),
    queryFn: ({ signal }) =>
      tagged(apiOf(org).GET('/v3/organizations/{orgId}/roles/{userId}', { params: { path: { userId } }, signal })),
  });
}

/** The id of the only administrator; '' while there are several. */
export function lastAdminQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'members', { administrators: true }),
    queryFn: async ({ signal }) => {
      const query = { permission: 'admin', first: 2 };
      const { items } = await unwrap(apiOf(org).GET(path, { params: { query }, signal }));
      return items.length === 1 ? (items[0]?.user_id ?? '') : '';
    },
  });
}

export function invitesQuery(org: string) {
  return listOptions(keys.list(org, 'members', { invites: true }), (query, signal) =>
    unwrap(apiOf(org).GET(`${path}/invites`, { params: { query }, signal })),
  );
}
