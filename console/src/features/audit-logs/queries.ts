import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';
import { requestOf, type AuditFilters } from './filters.ts';

export type AuditEntry = Schemas['AuditEntry'];

const path = '/v3/organizations/{orgId}/audit-logs';
const resource = 'audit-logs';

export function auditQuery(org: string, filters: AuditFilters) {
  return listOptions(keys.list(org, resource, filters), (page, signal) =>
    unwrap(apiOf(org).GET(path, { params: { query: { ...page, ...requestOf(filters) } }, signal })),
  );
}

export function auditEntryQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, resource, id),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/{id}`, { params: { path: { id } }, signal })),
  });
}

/** The entries about the same resource before one, newest first. */
export function earlierQuery(org: string, entry: AuditEntry) {
  return queryOptions({
    queryKey: keys.part(org, resource, entry.id, 'earlier'),
    queryFn: async ({ signal }) => {
      const { resource: about, created_at: at } = entry;
      const query = { resource_type: about.type, resource_id: about.id, created_before: at, first: 100 };
      return (await unwrap(apiOf(org).GET(path, { params: { query }, signal }))).items;
    },
    // The value before it does not change any more.
    staleTime: Infinity,
  });
}

export function auditActionsQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, resource, { actions: true }),
    queryFn: async ({ signal }) => (await unwrap(apiOf(org).GET(`${path}/actions`, { signal }))).items,
    staleTime: Infinity,
  });
}

/** The whole chain recomputed: only when someone asks for it. */
export function verificationQuery(org: string) {
  return queryOptions({
    queryKey: keys.part(org, resource, 'verification', 'chain'),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/verify`, { signal })),
    enabled: false,
    staleTime: Infinity,
  });
}

/** The address that the entries which fit are downloaded from. */
export function exportAddress(org: string, filters: AuditFilters): string {
  const query = new URLSearchParams(requestOf(filters)).toString();
  const base = `/v3/organizations/${encodeURIComponent(org)}/audit-logs/export`;
  return query === '' ? base : `${base}?${query}`;
}
