import { queryOptions } from '@tanstack/react-query';
import { api, apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { recall, remember } from '../../lib/storage.ts';

/** The organizations of the person who signed in. */
export const organizationsQuery = queryOptions({
  queryKey: keys.organizations(),
  queryFn: async () => (await unwrap(api.GET('/v3/organizations', { params: { query: { first: 200 } } }))).items,
});

/** The person in an organization: name, permission and scopes. */
export function selfQuery(org: string) {
  return queryOptions({ queryKey: keys.self(org), queryFn: () => unwrap(apiOf(org).GET('/v3/self')) });
}

/** Returns the slug of the organization that was open last, else of the first one; undefined without any. */
export function lastOf(organizations: readonly { slug: string }[]): string | undefined {
  const last = recall('organization');
  return (organizations.find(({ slug }) => slug === last) ?? organizations[0])?.slug;
}

export function rememberOrganization(slug: string): void {
  remember('organization', slug);
}
