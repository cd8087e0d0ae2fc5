import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { requestPath, type Place } from '../change-requests/queries.ts';

export type Follow = Schemas['Follow'];
export type FollowPolicy = Schemas['FollowPolicy'];
export type FollowAction = Schemas['ActOnFollowRequest']['action'];

export const followPath = `${requestPath}/follow` as const;
export const followPolicyPath = '/v3/organizations/{orgId}/repositories/{id}/follow';

/** How a change request is followed. Among its lists, which the live stream reads again. */
export function followQuery({ org, repository: id, number }: Place) {
  return queryOptions({
    queryKey: keys.list(org, 'change-requests', { follow: id, number }),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(followPath, { params: { path: { id, number } }, signal })),
  });
}

export function followPolicyQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.part(org, 'repositories', id, 'follow'),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(followPolicyPath, { params: { path: { id } }, signal })),
  });
}
