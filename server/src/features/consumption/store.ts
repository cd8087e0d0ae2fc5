import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import { addDays, nextStart, startOf, type DayRange, type Interval } from '../../lib/days.ts';

/** The use of something, as the database returns it: decimals are text. */
export interface UseRow {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  cost_usd: string;
  sandbox_seconds: string;
}

/** The values of a dimension whose use is asked for. */
export interface UseKey {
  dimension: string;
  values: readonly string[];
}

const sums = sql`sum(calls)::bigint as calls, sum(input_tokens)::bigint as input_tokens,
  sum(output_tokens)::bigint as output_tokens, sum(cached_input_tokens)::bigint as cached_input_tokens,
  sum(cache_write_tokens)::bigint as cache_write_tokens, sum(cost_usd) as cost_usd, sum(sandbox_seconds) as sandbox_seconds`;

/**
 * The days on which a value used something: the number of days after the first one of the range, and what it used then. A list
 * for each column, because reading a row for each day takes three times as long.
 */
export interface UseColumns {
  value: string;
  at: number[];
  calls: number[];
  input_tokens: number[];
  output_tokens: number[];
  cached_input_tokens: number[];
  cache_write_tokens: number[];
  cost_usd: number[];
  sandbox_seconds: number[];
}

function columnsFrom(first: string) {
  return sql`json_agg(day - ${first}::date) as at, json_agg(calls) as calls, json_agg(input_tokens) as input_tokens,
    json_agg(output_tokens) as output_tokens, json_agg(cached_input_tokens) as cached_input_tokens,
    json_agg(cache_write_tokens) as cache_write_tokens, json_agg(cost_usd) as cost_usd,
    json_agg(sandbox_seconds) as sandbox_seconds`;
}

/** Returns the days of each value that used something. */
export async function readUseByDay(
  db: Kysely<DB>,
  orgId: string,
  { dimension, values }: UseKey,
  { from, to }: DayRange,
): Promise<UseColumns[]> {
  const { rows } = await sql<UseColumns>`
    select value, ${columnsFrom(from)} from usage_days
    where org_id = ${orgId} and dimension = ${dimension} and value = any(${values}::text[]) and day between ${from} and ${to}
    group by value`.execute(db);
  return rows;
}

/** Returns the use of values together, by the start of the interval. */
export async function readUseByInterval(
  db: Kysely<DB>,
  orgId: string,
  { dimension, values }: UseKey,
  { range, interval }: { range: DayRange; interval: Interval },
) {
  const { rows } = await sql<UseRow & { start: string }>`
    select date_trunc(${interval}, day::timestamp)::date as start, ${sums} from usage_days
    where org_id = ${orgId} and dimension = ${dimension} and value = any(${values}::text[])
      and day between ${range.from} and ${range.to}
    group by 1`.execute(db);
  return rows;
}

/** Returns the values of a dimension that cost most in a range, and how many have any use. */
export async function readTopValues(
  db: Kysely<DB>,
  orgId: string,
  dimension: string,
  { range, limit }: { range: DayRange; limit: number },
) {
  const { from, to } = range;
  const firstMonth = startOf('month', from) === from ? from : nextStart('month', startOf('month', from));
  const afterMonths = startOf('month', addDays(to, 1));
  const hasMonths = firstMonth < afterMonths;
  // Whole months, and the days before and after them.
  const before = hasMonths ? addDays(firstMonth, -1) : to;
  const after = hasMonths ? afterMonths : addDays(to, 1);
  const where = sql`org_id = ${orgId} and dimension = ${dimension} and value <> ''`;
  const { rows } = await sql<{ value: string; total: number }>`
    select value, count(*) over () as total from (
      select value, cost_usd, input_tokens + output_tokens as tokens, sandbox_seconds from usage_months
      where ${where} and month >= ${firstMonth} and month < ${hasMonths ? afterMonths : firstMonth}
      union all
      select value, cost_usd, input_tokens + output_tokens, sandbox_seconds from usage_days
      where ${where} and day between ${from} and ${before}
      union all
      select value, cost_usd, input_tokens + output_tokens, sandbox_seconds from usage_days
      where ${where} and day between ${after} and ${to}
    ) used
    group by value order by sum(cost_usd) desc, sum(tokens) desc, sum(sandbox_seconds) desc, value limit ${limit}`.execute(
    db,
  );
  return { values: rows.map(({ value }) => value), total: rows[0]?.total ?? 0 };
}

/** Returns the days on which a session used something, from the ledgers. */
export async function readUseOfSession(
  db: Kysely<DB>,
  orgId: string,
  sessionId: string,
  { from, to }: DayRange,
): Promise<UseColumns | undefined> {
  const { rows } = await sql<UseColumns>`
    with used as (
      select (created_at at time zone 'UTC')::date as day, 1 as calls, input_tokens, output_tokens, cached_input_tokens,
        cache_write_tokens, cost_usd, 0::numeric as sandbox_seconds
      from usage_records where session_id = ${sessionId} and org_id = ${orgId}
      union all
      select (created_at at time zone 'UTC')::date, 0, 0, 0, 0, 0, 0, amount
      from measurements where session_id = ${sessionId} and org_id = ${orgId} and metric = 'session.sandbox'
    ), days as (select day, ${sums} from used where day between ${from} and ${to} group by day)
    select '' as value, ${columnsFrom(from)} from days having count(*) > 0`.execute(db);
  return rows[0];
}

/** Returns the use of the whole organization by month, from the first of a range to its last. */
export async function readMonths(db: Kysely<DB>, orgId: string, { from, to }: DayRange) {
  return db
    .selectFrom('usage_months')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('dimension', '=', 'organization')
    .where('value', '=', '')
    .where('month', '>=', from)
    .where('month', '<=', to)
    .execute();
}

/** Returns the first day of an organization's first billing cycle: it was created then, or used something earlier. */
export async function firstCycleStart(db: Kysely<DB>, orgId: string): Promise<string> {
  const { rows } = await sql<{ start: string }>`
    select least(
      (select date_trunc('month', created_at at time zone 'UTC')::date from organizations where id = ${orgId}),
      (select min(month) from usage_months where org_id = ${orgId} and dimension = 'organization')) as start`.execute(
    db,
  );
  return rows[0]?.start ?? '';
}

/** Returns up to `limit` days of a dimension's values after a position, by day and value. */
export async function listUse(
  db: Kysely<DB>,
  orgId: string,
  dimension: string,
  { range, after, limit }: { range: DayRange; after: { day: string; value: string }; limit: number },
) {
  return db
    .selectFrom('usage_days')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('dimension', '=', dimension)
    .where('day', '>=', range.from)
    .where('day', '<=', range.to)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('day', 'value'), '>', tuple(after.day, after.value)))
    .$if(dimension !== 'organization', (q) => q.where('value', '<>', ''))
    .orderBy('day')
    .orderBy('value')
    .limit(limit)
    .execute();
}

/** Returns the names of users, service users or automations, by id. */
export async function readNames(
  db: Kysely<DB>,
  orgId: string,
  kind: 'user' | 'service_user' | 'automation',
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const query =
    kind === 'user'
      ? sql<{ id: string; name: string }>`
          select u.id, coalesce(nullif(u.name, ''), u.email) as name from users u
          where u.id = any(${ids}::text[]) and exists (select from members m where m.user_id = u.id and m.org_id = ${orgId})`
      : sql<{ id: string; name: string }>`
          select id, name from ${sql.table(kind === 'automation' ? 'automations' : 'service_users')} where org_id = ${orgId} and id = any(${ids}::text[])`;
  const { rows } = await query.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns true if the organization has, or had, what a use belongs to. */
export async function isKnown(
  db: Kysely<DB>,
  orgId: string,
  kind: 'user' | 'service_user' | 'session' | 'group',
  id: string,
): Promise<boolean> {
  const now = {
    user: sql`select from members where org_id = ${orgId} and user_id = ${id}`,
    service_user: sql`select from service_users where org_id = ${orgId} and id = ${id}`,
    session: sql`select from sessions where org_id = ${orgId} and id = ${id}`,
    group: sql`select from groups where org_id = ${orgId} and id = ${id}`,
  }[kind];
  const once =
    kind === 'session'
      ? sql`select from measurements where org_id = ${orgId} and session_id = ${id}
          union all select from usage_records where org_id = ${orgId} and session_id = ${id}`
      : sql`select from usage_days where org_id = ${orgId} and dimension = ${kind} and value = ${id}`;
  const { rows } = await sql<{ known: boolean }>`select exists (${now}) or exists (${once}) as known`.execute(db);
  return rows[0]?.known ?? false;
}
