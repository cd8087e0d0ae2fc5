import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { repositoriesPath } from '../queries.ts';

export type RepositoryIndex = Schemas['RepositoryIndex'];
export type SearchResult = Schemas['RepositorySearchResult'];

/** What can be searched for. */
export const searchKinds = [
  ['text', 'Text'],
  ['symbol', 'Symbols'],
  ['path', 'Paths'],
] as const;
export type SearchKind = (typeof searchKinds)[number][0];

export function kindOf(value: unknown): SearchKind | undefined {
  return searchKinds.find(([kind]) => kind === value)?.[0];
}

export function indexKey(org: string, id: string) {
  return keys.part(org, 'repositories', id, 'index');
}

/** The index of a repository, read again while it is built. */
export function indexQuery(org: string, id: string) {
  return queryOptions({
    queryKey: indexKey(org, id),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${repositoriesPath}/{id}/index`, { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isBuilding(data) ? 1_000 : false),
  });
}

export function isBuilding({ state }: RepositoryIndex): boolean {
  return state === 'queued' || state === 'indexing';
}

/** What a repository has for a text; another index may have more. */
export function codeQuery(org: string, id: string, kind: SearchKind, q: string, commit: string) {
  return queryOptions({
    queryKey: keys.part(org, 'repositories', id, `search ${kind} ${commit} ${q}`),
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { q, kind, first: 200 } };
      return unwrap(apiOf(org).GET(`${repositoriesPath}/{id}/search`, { params, signal }));
    },
    enabled: q !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
}
