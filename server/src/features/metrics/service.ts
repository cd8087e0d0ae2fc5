import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { daysIn, rangeOf, startOf, startsIn, wholeIntervals, type DayRange, type Interval } from '../../lib/days.ts';
import { fieldError } from '../../lib/field-error.ts';
import { repositoryValues } from '../../lib/filters.ts';
import { providers } from '../../lib/providers.ts';
import { useByInterval } from '../consumption/service.ts';
import { totalOf, useOf } from '../consumption/use.ts';
import { followOutcomes } from '../follow/public.ts';
import { repositoriesNamed } from '../repositories/service.ts';
import { reviewOutcomes } from '../reviews/public.ts';
import { changeRequestFigures, changeRequestMetrics, reviewFigures, reviewMetrics, type Known } from './figures.ts';
import { readActiveUsers, readMetrics, type MetricKey } from './store.ts';
import { talliesOf } from './tally.ts';

type MetricsContext = Pick<Context, 'db' | 'clock'>;

/** The query of every metric. */
export interface MetricsQuery {
  from?: string;
  to?: string;
  interval?: Interval;
  repo?: string;
  tag?: string;
}

interface Asked {
  range: DayRange;
  interval: Interval;
  /** As sums name it: `provider:owner/name`; undefined for the whole organization. */
  repos: string[] | undefined;
  key: MetricKey;
}

/** Returns figures of each interval and of all together, computed from measurements and the use at that time. */
export async function getMetrics<Figures>(
  ctx: MetricsContext,
  caller: Actor,
  query: MetricsQuery,
  { metrics, figures }: { metrics: readonly string[]; figures: (known: Known) => Figures },
) {
  const orgId = caller.organization.id;
  const { range, interval, key } = await askedIn(ctx, orgId, query);
  const [rows, use] = await Promise.all([
    metrics.length === 0 ? [] : readMetrics(ctx.db.kysely, orgId, key, { metrics, range }),
    useByInterval(ctx, orgId, key, { range, interval }),
  ]);
  const tallies = talliesOf(
    rows,
    daysIn(range).map((day) => startOf(interval, day)),
  );
  const items = startsIn(interval, range).map((start) => ({
    start,
    ...figures({ tally: tallies.of(start), use: use.get(start) ?? useOf(undefined) }),
  }));
  return { ...range, interval, totals: figures({ tally: tallies.all, use: totalOf(use.values()) }), items };
}

/** Returns the figures of reviews, and what became of the findings that they posted. */
export async function getReviewMetrics(ctx: MetricsContext, caller: Actor, query: MetricsQuery) {
  const { id } = caller.organization;
  const outcomes = await reviewOutcomes(ctx.db.kysely, id, await filterIn(ctx, id, query));
  const figures = await getMetrics(ctx, caller, query, { metrics: reviewMetrics, figures: reviewFigures });
  return { ...figures, outcomes };
}

/** Returns the figures of change requests, and what became of those that sessions followed. */
export async function getChangeRequestMetrics(ctx: MetricsContext, caller: Actor, query: MetricsQuery) {
  const { id } = caller.organization;
  const followed = await followOutcomes(ctx.db.kysely, id, await filterIn(ctx, id, query));
  const figures = await getMetrics(ctx, caller, query, {
    metrics: changeRequestMetrics,
    figures: changeRequestFigures,
  });
  return { ...figures, followed };
}

async function filterIn(ctx: MetricsContext, orgId: string, query: MetricsQuery) {
  const { range, repos } = await askedIn(ctx, orgId, query);
  const dayMs = 24 * 3_600_000;
  return { from: new Date(range.from), to: new Date(Date.parse(range.to) + dayMs), repos, tag: query.tag };
}

/** Returns the number of active users in each interval. */
export async function getActiveUsers(ctx: MetricsContext, caller: Actor, query: MetricsQuery) {
  const orgId = caller.organization.id;
  const { range, interval, key } = await askedIn(ctx, orgId, query);
  const users = await readActiveUsers(ctx.db.kysely, orgId, key, { range, interval });
  const items = startsIn(interval, range).map((start) => ({ start, active_users: users.get(start) ?? 0 }));
  return { ...range, interval, items };
}

async function askedIn(
  ctx: MetricsContext,
  orgId: string,
  { interval = 'day', repo, tag, ...days }: MetricsQuery,
): Promise<Asked> {
  // Half a week would look like a bad week.
  const range = wholeIntervals(interval, rangeOf(days, ctx.clock.now()));
  const repos = repo === undefined ? undefined : await reposOf(ctx, orgId, repo);
  return { range, interval, repos, key: keyOf(repos, tag) };
}

function keyOf(repos: readonly string[] | undefined, tag: string | undefined): MetricKey {
  if (repos === undefined)
    return tag === undefined ? { dimension: 'organization', values: [''] } : { dimension: 'tag', values: [tag] };
  if (tag === undefined) return { dimension: 'repo', values: [...repos] };
  return { dimension: 'repo_tag', values: repos.map((value) => `${value}\n${tag}`) };
}

/**
 * Returns the names that sums may have for a repository; one without its provider is that of any provider. Sums have a name as
 * it is written at the repository, so that spelling is added to the one in the query.
 */
async function reposOf(ctx: MetricsContext, orgId: string, repo: string): Promise<string[]> {
  const [named, other] = repositoryValues('repo', repo);
  if (named === undefined || other !== undefined) throw fieldError('/repo', 'must name one repository.');
  const hosts = named.provider === undefined ? providers : [named.provider];
  const known = await repositoriesNamed(ctx, orgId, [named]);
  return [
    ...new Set([
      ...hosts.map((provider) => `${provider}:${named.repo}`),
      ...known.map((row) => `${row.provider}:${row.repo}`),
    ]),
  ];
}
