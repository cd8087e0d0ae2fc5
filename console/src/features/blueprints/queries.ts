import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

export type Blueprint = Schemas['Blueprint'];
export type Change = Schemas['BlueprintDiff']['changes'][number];

const path = '/v3/organizations/{orgId}/blueprints';

export function blueprintsQuery(org: string) {
  return listOptions<Blueprint>(keys.list(org, 'blueprints'), (page, signal) =>
    // Each item has a whole manifest.
    unwrap(apiOf(org).GET(path, { params: { query: { ...page, first: 20 } }, signal })),
  );
}

export function blueprintQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'blueprints', id),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/{id}`, { params: { path: { id } }, signal })),
  });
}

/** What differs between two versions of an agent's blueprint. */
export function diffQuery(org: string, id: string, from: number, to: number) {
  return queryOptions({
    queryKey: keys.part(org, 'blueprints', id, `diff ${from} ${to}`),
    queryFn: ({ signal }) =>
      unwrap(
        apiOf(org).POST(`${path}/diff`, { body: { from: { id, version: from }, to: { id, version: to } }, signal }),
      ),
    placeholderData: keepPreviousData,
  });
}
