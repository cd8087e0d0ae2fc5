import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { DayRange, Interval } from '../../lib/days.ts';

/** Sums to read: those of the organization, or of values of `repo`, `tag` or `repo_tag`. */
export interface MetricKey {
  dimension: string;
  values: readonly string[];
}

export interface MetricRow {
  day: string;
  metric: string;
  count: number;
  seconds: number;
  /** The number of times in each class but 0. */
  times: Readonly<Record<string, number>>;
}

/** Returns the measurements of metrics by day. */
export async function readMetrics(
  db: Kysely<DB>,
  orgId: string,
  { dimension, values }: MetricKey,
  { metrics, range }: { metrics: readonly string[]; range: DayRange },
): Promise<MetricRow[]> {
  const { rows } = await sql<MetricRow>`
    select day, metric, count, seconds::float8 as seconds, times from metric_days
    where org_id = ${orgId} and dimension = ${dimension} and value = any(${values}::text[])
      and metric = any(${metrics}::text[]) and day between ${range.from} and ${range.to}`.execute(db);
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
