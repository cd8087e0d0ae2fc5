import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { daysIn, rangeOf, startOf, startsIn, wholeIntervals, type DayRange, type Interval } from '../../lib/days.ts';
import { providers } from '../../lib/providers.ts';
import { useByInterval } from '../consumption/service.ts';
import { totalOf, useOf } from '../consumption/use.ts';
import { followOutcomes } from '../follow/public.ts';
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
  key: MetricKey;
}

/** Returns figures of each interval and of all together, computed from measurements and the use at that time. */
export async function getMetrics<Figures>(
  ctx: MetricsContext,
  caller: Actor,
  query: MetricsQuery,
  { metrics, figures }: { metrics: readonly string[]; figures: (known: Known) => Figures },
) {
  const asked = askedIn(query, ctx.clock.now());
  const { range, interval, key } = asked;
  const orgId = caller.organization.id;
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
  const outcomes = await reviewOutcomes(ctx.db.kysely, caller.organization.id, filterIn(query, ctx.clock.now()));
  const figures = await getMetrics(ctx, caller, query, { metrics: reviewMetrics, figures: reviewFigures });
  return { ...figures, outcomes };
}

/** Returns the figures of change requests, and what became of those that sessions followed. */
export async function getChangeRequestMetrics(ctx: MetricsContext, caller: Actor, query: MetricsQuery) {
  const followed = await followOutcomes(ctx.db.kysely, caller.organization.id, filterIn(query, ctx.clock.now()));
  const figures = await getMetrics(ctx, caller, query, {
    metrics: changeRequestMetrics,
    figures: changeRequestFigures,
  });
  return { ...figures, followed };
}

function filterIn(query: MetricsQuery, now: Date) {
  const { range } = askedIn(query, now);
  const dayMs = 24 * 3_600_000;
  return {
    from: new Date(range.from),
    to: new Date(Date.parse(range.to) + dayMs),
    repos: query.repo === undefined ? undefined : reposOf(query.repo),
    tag: query.tag,
  };
}

/** Returns the number of active users in each interval. */
export async function getActiveUsers(ctx: MetricsContext, caller: Actor, query: MetricsQuery) {
  const { range, interval, key } = askedIn(query, ctx.clock.now());
  const users = await readActiveUsers(ctx.db.kysely, caller.organization.id, key, { range, interval });
  const items = startsIn(interval, range).map((start) => ({ start, active_users: users.get(start) ?? 0 }));
  return { ...range, interval, items };
}

function askedIn({ interval = 'day', repo, tag, ...days }: MetricsQuery, now: Date): Asked {
  // Half a week would look like a bad week.
  const range = wholeIntervals(interval, rangeOf(days, now));
  return { range, interval, key: keyOf(repo, tag) };
}

/** A repository without its provider is that of any provider. */
function keyOf(repo: string | undefined, tag: string | undefined): MetricKey {
  if (repo === undefined) {
    return tag === undefined ? { dimension: 'organization', values: [''] } : { dimension: 'tag', values: [tag] };
  }
  const repos = reposOf(repo);
  if (tag === undefined) return { dimension: 'repo', values: repos };
  return { dimension: 'repo_tag', values: repos.map((value) => `${value}\n${tag}`) };
}

function reposOf(repo: string): string[] {
  return repo.includes(':') ? [repo] : providers.map((provider) => `${provider}:${repo}`);
}
