import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions, textsOf } from '../../lib/list.ts';

export type Server = Schemas['McpServer'];
export type ServerDetail = Schemas['McpServerDetail'];

export const serversPath = '/v3/organizations/{orgId}/mcp-servers';

/** Which sessions get the tools of a server. */
export const accesses = [
  ['organization', 'Every session'],
  ['repositories', 'Sessions on some repositories'],
  ['on_request', 'Sessions that ask for it'],
] as const satisfies readonly (readonly [Server['access'], string])[];

export interface ServerFilters {
  q?: string;
  /** `on` or `off`. */
  on?: string;
}

export function serverFiltersOf(search: Record<string, unknown>): ServerFilters {
  return textsOf(search, ['q', 'on']);
}

export function serversQuery(org: string, { q, on }: ServerFilters) {
  const filters = {
    ...(q === undefined ? {} : { search: q }),
    ...(on === undefined ? {} : { enabled: String(on === 'on') }),
  };
  return listOptions<Server>(keys.list(org, 'mcp-servers', { rows: filters }), (page, signal) =>
    unwrap(apiOf(org).GET(serversPath, { params: { query: { ...page, ...filters } }, signal })),
  );
}

export function serverQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'mcp-servers', id),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(`${serversPath}/{id}`, { params: { path: { id } }, signal })),
  });
}
