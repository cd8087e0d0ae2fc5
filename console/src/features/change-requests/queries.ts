import { queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';
import type { RequestFilters } from './search.ts';

export type ChangeRequest = Schemas['ChangeRequest'];
export type Comment = Schemas['ChangeRequestComment'];

export const requestPath = '/v3/organizations/{orgId}/repositories/{id}/change-requests/{number}';

/** Which change request: its repository's id, and its number there. */
export interface Place {
  org: string;
  repository: string;
  number: number;
}

/** The change requests of all repositories, newest first. */
export function requestsQuery(org: string, { state = 'open', repo, author, follow }: RequestFilters) {
  const filters = {
    ...(state === 'any' ? {} : { state }),
    ...(repo === undefined ? {} : { repo }),
    ...(author === undefined ? {} : { author }),
    ...(follow === undefined ? {} : { follow }),
  };
  return listOptions<ChangeRequest>(keys.list(org, 'change-requests', filters), (page, signal) =>
    unwrap(
      apiOf(org).GET('/v3/organizations/{orgId}/change-requests', {
        params: { query: { ...page, ...filters } },
        signal,
      }),
    ),
  );
}

/** Among the lists, since the live stream names a change request by an id that its address does not have. */
function requestKey({ org, repository, number }: Place) {
  return keys.list(org, 'change-requests', { repository, number });
}

export function requestQuery(place: Place) {
  const { org, repository: id, number } = place;
  return queryOptions({
    queryKey: requestKey(place),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(requestPath, { params: { path: { id, number } }, signal })),
  });
}

/** The changes up to a commit, which never change. Until those of a newer commit are read, the last ones stay. */
export function diffQuery({ org, repository: id, number }: Place, head: string) {
  return queryOptions({
    queryKey: [org, 'change-request-diffs', id, number, head],
    placeholderData: (before: Schemas['Diff'] | undefined, query) =>
      query?.queryKey[2] === id && query.queryKey[3] === number ? before : undefined,
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${requestPath}/diff`, { params: { path: { id, number } }, signal })),
    staleTime: Infinity,
  });
}

export function commentsKey({ org, repository, number }: Place) {
  return keys.list(org, 'change-requests', { comments: repository, number });
}

/** All comments, oldest first. */
export function commentsQuery(place: Place) {
  const { org, repository: id, number } = place;
  return queryOptions({
    queryKey: commentsKey(place),
    queryFn: async ({ signal }) => {
      const comments: Comment[] = [];
      let after = '';
      // A change request with more than 2,000 comments is not read to its beginning.
      for (let page = 0; page < 10; page += 1) {
        const query = { first: 200, ...(after === '' ? {} : { after }) };
        const request = apiOf(org).GET(`${requestPath}/comments`, { params: { path: { id, number }, query }, signal });
        const { items, has_next_page: hasNext, end_cursor: end } = await unwrap(request);
        comments.push(...items);
        if (!hasNext || end === null) break;
        after = end;
      }
      return comments.toReversed();
    },
  });
}
