import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { DayRange, Interval } from '../../lib/days.ts';

/** Sums to read: those of the organization, or of values of `repo`, `tag` or `repo_tag`. */
export interface MetricKey {
  dimension: string;
  values: readonly string[];
}

/**
 * The measurements of a metric in a range: the number of days after the first one, and what was measured then. A list for each
 * column, because reading a row for each day takes longer.
 */
export interface MetricColumns {
  metric: string;
  at: number[];
  count: number[];
  seconds: number[];
  /** The number of times in each class but 0. */
  times: Readonly<Record<string, number>>[];
}

/** Returns the measurements of metrics. */
export async function readMetrics(
  db: Kysely<DB>,
  orgId: string,
  { dimension, values }: MetricKey,
  { metrics, range: { from, to } }: { metrics: readonly string[]; range: DayRange },
): Promise<MetricColumns[]> {
  const { rows } = await sql<MetricColumns>`
    select metric, json_agg(day - ${from}::date) as at, json_agg(count) as count, json_agg(seconds) as seconds,
      json_agg(times) as times
    from metric_days
    where org_id = ${orgId} and dimension = ${dimension} and value = any(${values}::text[])
      and metric = any(${metrics}::text[]) and day between ${from} and ${to}
    group by metric`.execute(db);
  return rows;
}

/** Returns the number of active users by the start of the interval. */
export async function readActiveUsers(
  db: Kysely<DB>,
  orgId: string,
  { dimension, values }: MetricKey,
  { range, interval }: { range: DayRange; interval: Interval },
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('active_user_counts')
    .select((eb) => ['start', eb.fn.sum<string>('users').as('users')])
    .where('org_id', '=', orgId)
    .where('dimension', '=', dimension)
    .where('value', 'in', values)
    .where('period', '=', interval)
    .where('start', '>=', range.from)
    .where('start', '<=', range.to)
    .groupBy('start')
    .execute();
  return new Map(rows.map(({ start, users }) => [start, Number(users)]));
}
