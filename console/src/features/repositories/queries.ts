import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions, textsOf } from '../../lib/list.ts';

export type Repository = Schemas['Repository'];
export type Branch = Schemas['Branch'];

export const repositoriesPath = '/v3/organizations/{orgId}/repositories';

export interface RepositoryFilters {
  q?: string;
  /** `deleted`: those that can be restored. */
  state?: 'deleted';
}

export function repositoryFiltersOf(search: Record<string, unknown>): RepositoryFilters {
  return { ...textsOf(search, ['q']), ...(search['state'] === 'deleted' ? { state: 'deleted' as const } : {}) };
}

export function repositoriesQuery(org: string, { q, state }: RepositoryFilters) {
  const filters = {
    ...(q === undefined ? {} : { search: q }),
    ...(state === undefined ? {} : { deleted: true }),
  };
  return listOptions<Repository>(keys.list(org, 'repositories', { rows: filters }), (page, signal) =>
    unwrap(apiOf(org).GET(repositoriesPath, { params: { query: { ...page, ...filters } }, signal })),
  );
}

export function repositoryQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'repositories', id),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(`${repositoriesPath}/{id}`, { params: { path: { id } }, signal })),
  });
}

export function branchesQuery(org: string, id: string, search: string) {
  return listOptions<Branch>(keys.part(org, 'repositories', id, `branches ${search}`), (page, signal) => {
    const query = { ...page, ...(search === '' ? {} : { search }) };
    return unwrap(apiOf(org).GET(`${repositoriesPath}/{id}/branches`, { params: { path: { id }, query }, signal }));
  });
}
