import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';

export type IpAccessList = Schemas['IpAccessList'];
export type IpAccessCheck = Schemas['IpAccessCheck'];

export const ipAccessPath = '/v3/organizations/{orgId}/ip-access-list';

export function ipAccessQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'ip-access-list'),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(ipAccessPath, { signal })),
  });
}

/** What the list says of an address; of the reader's own without one. */
export function ipCheckQuery(org: string, ip?: string) {
  return queryOptions({
    queryKey: keys.list(org, 'ip-access-list', { check: ip ?? '' }),
    queryFn: ({ signal }) => {
      const query = ip === undefined ? {} : { ip };
      return unwrap(apiOf(org).GET(`${ipAccessPath}/check`, { params: { query }, signal }));
    },
  });
}
