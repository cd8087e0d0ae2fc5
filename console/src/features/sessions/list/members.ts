import { queryOptions, useQuery } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { shortId } from '../../../lib/format.ts';
import { keys } from '../../../lib/keys.ts';
import { memberQuery } from '../../members/queries.ts';
import { useCan } from '../../shell/useCan.ts';

/** The first 200 members, to pick one. */
export function membersQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'members', { first: 200 }),
    queryFn: async ({ signal }) => {
      const params = { query: { first: 200 } };
      return (await unwrap(apiOf(org).GET('/v3/organizations/{orgId}/members', { params, signal }))).items;
    },
  });
}

/** Returns the name of a member; a short id where it is not known. */
export function useMemberName(org: string, id: string | undefined): string {
  const canRead = useCan(org, 'org:read');
  const { data } = useQuery({ ...memberQuery(org, id ?? ''), enabled: canRead && id !== undefined && id !== 'me' });
  if (data === undefined) return shortId(id ?? '');
  return data.name === '' ? data.email : data.name;
}
