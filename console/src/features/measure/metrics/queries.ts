import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiOf, unwrap, type Schemas } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import type { Period } from '../period.ts';
import type { Interval, Topic } from '../search.ts';
import type { Numbers } from './topics.ts';

const path = '/v3/organizations/{orgId}/metrics';

export interface MetricsFilters extends Period {
  every: Interval;
  repo?: string | undefined;
  tag?: string | undefined;
}

function parametersOf({ from, to, every: interval, repo, tag }: MetricsFilters) {
  return { from, to, interval, ...(repo === undefined ? {} : { repo }), ...(tag === undefined ? {} : { tag }) };
}

/** Sessions, change requests and use of a period together. */
export function summaryQuery(org: string, filters: MetricsFilters) {
  return queryOptions({
    queryKey: keys.list(org, 'metrics', { summary: filters }),
    queryFn: ({ signal }) =>
      unwrap(apiOf(org).GET(`${path}/summary`, { params: { query: parametersOf(filters) }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

/** The numbers of a topic in each interval of a period. */
export function topicQuery(org: string, topic: Topic, filters: MetricsFilters) {
  return queryOptions({
    queryKey: keys.list(org, 'metrics', { topic, ...filters }),
    queryFn: ({ signal }) => readTopic(org, topic, filters, signal),
    staleTime: 60_000,
  });
}

export type FollowOutcomes = Schemas['FollowOutcomes'];
export type ReviewOutcomes = Schemas['ReviewOutcomes'];

interface TopicNumbers {
  items: Numbers[];
  /** All intervals together; undefined where they cannot be added up. */
  totals: Numbers | undefined;
  /** What became of what reviews posted. */
  outcomes?: ReviewOutcomes;
  /** What became of change requests that sessions followed. */
  followed?: FollowOutcomes;
}

async function readTopic(
  org: string,
  topic: Topic,
  filters: MetricsFilters,
  signal: AbortSignal,
): Promise<TopicNumbers> {
  const params = { params: { query: parametersOf(filters) }, signal };
  const api = apiOf(org);
  switch (topic) {
    case 'sessions':
      return withTotals(await unwrap(api.GET(`${path}/sessions`, params)));
    case 'change-requests': {
      const metrics = await unwrap(api.GET(`${path}/change-requests`, params));
      return { ...withTotals(metrics), followed: metrics.followed };
    }
    case 'usage':
      return withTotals(await unwrap(api.GET(`${path}/usage`, params)));
    case 'automations':
      return withTotals(await unwrap(api.GET(`${path}/automations`, params)));
    case 'reviews': {
      const metrics = await unwrap(api.GET(`${path}/reviews`, params));
      return { ...withTotals(metrics), outcomes: metrics.outcomes };
    }
    case 'active-users':
      return { ...copied(await unwrap(api.GET(`${path}/active-users`, params))), totals: undefined };
  }
}

type Metrics = Schemas[
  | 'SessionMetrics'
  | 'ChangeRequestMetrics'
  | 'UsageMetrics'
  | 'AutomationMetrics'
  | 'ReviewMetrics'];

function withTotals(metrics: Metrics): TopicNumbers {
  return { ...copied(metrics), totals: { ...metrics.totals, start: '' } };
}

function copied({ items }: { items: readonly { start: string }[] }): { items: Numbers[] } {
  return { items: items.map((item) => ({ ...item })) };
}
