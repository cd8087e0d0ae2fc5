import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { repositoriesPath } from '../queries.ts';

export type Wiki = Schemas['RepositoryWiki'];
export type WikiPageSummary = Schemas['WikiPageSummary'];

export function wikiKey(org: string, id: string) {
  return keys.part(org, 'repositories', id, 'wiki');
}

/** The wiki of a repository, read again while it is made. */
export function wikiQuery(org: string, id: string) {
  return queryOptions({
    queryKey: wikiKey(org, id),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${repositoriesPath}/{id}/wiki`, { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isMaking(data) ? 2_000 : false),
  });
}

export function isMaking({ state }: Wiki): boolean {
  return state === 'queued' || state === 'generating';
}

/** A page of the wiki as it was made at a time. */
export function wikiPageQuery(org: string, id: string, slug: string, madeAt: string) {
  return queryOptions({
    queryKey: [...wikiKey(org, id), slug, madeAt],
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${repositoriesPath}/{id}/wiki/pages/{slug}`, { params: { path: { id, slug } }, signal })),
  });
}
