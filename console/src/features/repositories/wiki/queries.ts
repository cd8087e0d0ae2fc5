import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { repositoriesPath } from '../queries.ts';

export type Wiki = Schemas['RepositoryWiki'];
export type WikiPageSummary = Schemas['WikiPageSummary'];

export function wikiKey(org: string, id: string) {
  return keys.part(org, 'repositories', id, 'wiki');
}

/** The wiki of a repository, read again while it is made or a session writes its prose. */
export function wikiQuery(org: string, id: string) {
  return queryOptions({
    queryKey: wikiKey(org, id),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${repositoriesPath}/{id}/wiki`, { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && (isMaking(data) || data.prose_session_id !== '' || data.prose_left > 0) ? 2_000 : false,
  });
}

export function isMaking({ state }: Wiki): boolean {
  return state === 'queued' || state === 'generating';
}

/** Differs when the pages were made again, or their prose was written. */
export function versionOf({ generated_at, prose_session_id, pages }: Wiki): string {
  return [generated_at, prose_session_id, ...pages.map(({ prose_state }) => prose_state)].join(' ');
}

/** A page of the wiki in a version. */
export function wikiPageQuery(org: string, id: string, slug: string, version: string) {
  return queryOptions({
    queryKey: [...wikiKey(org, id), slug, version],
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${repositoriesPath}/{id}/wiki/pages/{slug}`, { params: { path: { id, slug } }, signal })),
  });
}
