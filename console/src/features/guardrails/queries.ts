import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions } from '../../lib/list.ts';

const path = '/v3/organizations/{orgId}/guardrails';

/** The rules that hold for a repository, or for sessions without one, and where each is set. */
export function effectiveQuery(org: string, repo: string | undefined) {
  return queryOptions({
    queryKey: keys.list(org, 'guardrails', { effective: repo ?? '' }),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${path}/effective`, { params: { query: repo === undefined ? {} : { repo } }, signal })),
  });
}

/** The rules that are set in a place itself: for the organization, if `repositoryId` is ''. */
export function ownRulesQuery(org: string, repositoryId: string) {
  return queryOptions({
    queryKey: keys.list(org, 'guardrails', { of: repositoryId }),
    queryFn: ({ signal }) =>
      tagged(
        repositoryId === ''
          ? apiOf(org).GET(`${path}/default`, { signal })
          : apiOf(org).GET(`${path}/{repoId}`, { params: { path: { repoId: repositoryId } }, signal }),
      ),
  });
}

/** The repositories with rules of their own. */
export function guardedQuery(org: string) {
  return queryOptions({
    queryKey: keys.list(org, 'guardrails', { own: true }),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(path, { params: { query: { first: 200 } }, signal })),
  });
}

export interface ViolationFilters {
  repo?: string | undefined;
  rule?: string | undefined;
}

export function violationsQuery(org: string, { repo, rule }: ViolationFilters) {
  return listOptions(keys.list(org, 'violations', { repo, rule }), (page, signal) => {
    const query = { ...page, ...(repo === undefined ? {} : { repo }), ...(rule === undefined ? {} : { rule }) };
    return unwrap(apiOf(org).GET(`${path}/violations`, { params: { query }, signal }));
  });
}

export function violationQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'violations', id),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${path}/violations/{id}`, { params: { path: { id } }, signal })),
  });
}
