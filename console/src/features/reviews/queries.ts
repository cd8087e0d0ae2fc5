import { queryOptions } from '@tanstack/react-query';
import { apiOf, tagged, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { listOptions, textsOf } from '../../lib/list.ts';

export type Review = Schemas['Review'];
export type Finding = Schemas['Finding'];
export type ReviewPolicy = Schemas['ReviewPolicy'];

export const reviewsPath = '/v3/organizations/{orgId}/reviews';
export const policyPath = `${reviewsPath}/policies/{repoId}` as const;

export interface ReviewFilters {
  status?: string;
}

export function reviewFiltersOf(search: Record<string, unknown>): ReviewFilters {
  return textsOf(search, ['status']);
}

export function reviewsQuery(org: string, filters: ReviewFilters) {
  return listOptions<Review>(keys.list(org, 'reviews', { rows: filters }), (page, signal) =>
    unwrap(apiOf(org).GET(reviewsPath, { params: { query: { ...page, ...filters } }, signal })),
  );
}

export function reviewQuery(org: string, id: string) {
  return queryOptions({
    queryKey: keys.one(org, 'reviews', id),
    queryFn: ({ signal }) => unwrap(apiOf(org).GET(`${reviewsPath}/{id}`, { params: { path: { id } }, signal })),
  });
}

/** The newest reviews of a change request, newest first. */
export function requestReviewsQuery(org: string, repository: string, number: number) {
  return queryOptions({
    queryKey: keys.list(org, 'reviews', { repository, number }),
    queryFn: async ({ signal }) => {
      const query = { repository_id: repository, number, first: 20 };
      return (await unwrap(apiOf(org).GET(reviewsPath, { params: { query }, signal }))).items;
    },
  });
}

/** What a review found, the most severe first. Among the lists, since the live stream names a finding by its own id. */
export function findingsQuery(org: string, review: string) {
  return queryOptions({
    queryKey: keys.list(org, 'reviews', { findings: review }),
    queryFn: async ({ signal }) => {
      const params = { path: { id: review }, query: { first: 200 } };
      const { items } = await unwrap(apiOf(org).GET(`${reviewsPath}/{id}/findings`, { params, signal }));
      return items.toSorted((a, b) => rankOf(a) - rankOf(b));
    },
    enabled: review !== '',
  });
}

const severities = ['critical', 'high', 'medium', 'low', 'pre_existing'];
const states = ['open', 'dismissed', 'resolved'];

function rankOf({ status, severity }: Finding): number {
  return states.indexOf(status) * severities.length + severities.indexOf(severity);
}

export function policyQuery(org: string, repoId: string) {
  return queryOptions({
    queryKey: keys.list(org, 'reviews', { policy: repoId }),
    queryFn: ({ signal }) => tagged(apiOf(org).GET(policyPath, { params: { path: { repoId } }, signal })),
  });
}
