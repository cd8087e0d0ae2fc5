import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

type Executor = Kysely<DB> | Transaction<DB>;
/** A query of the rows of a ledger. */
type Rows = RawBuilder<unknown>;

/** The advisory lock for changing rollups: one process at a time. */
const lockKey = 7_420_180_018;

/**
 * Sums in memory instead of sorting on disk: a batch needs a fraction of this, and only one process at a time has it.
 */
export async function allowMemory(trx: Transaction<DB>): Promise<void> {
  await sql`set local work_mem = '64MB'`.execute(trx);
}

/** Takes the lock until the transaction ends; returns false if another process has it. */
export async function tryLockRollups(trx: Transaction<DB>): Promise<boolean> {
  const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${lockKey}::bigint) as got`.execute(
    trx,
  );
  return rows[0]?.got ?? false;
}

/** Takes the lock until {@link unlockRollups} is called on the same connection, waiting for it. */
export async function lockRollups(connection: Kysely<DB>): Promise<void> {
  await sql`select pg_advisory_lock(${lockKey}::bigint)`.execute(connection);
}

export async function unlockRollups(connection: Kysely<DB>): Promise<void> {
  await sql`select pg_advisory_unlock(${lockKey}::bigint)`.execute(connection);
}

export type Ledger = 'usage_records' | 'measurements';
const pendingOf = { usage_records: 'usage_pending', measurements: 'measurements_pending' } as const;

/** Removes the oldest rows that the rollups do not have from their list; returns their ids. */
export async function takePending(trx: Transaction<DB>, ledger: Ledger, limit: number): Promise<string[]> {
  const table = sql.table(pendingOf[ledger]);
  const { rows } = await sql<{ id: string }>`
    delete from ${table} where number in (select number from ${table} order by number limit ${limit})
    returning record_id as id`.execute(trx);
  return rows.map(({ id }) => id);
}

/** The rows of a ledger with these ids. */
export function rowsWith(ledger: Ledger, ids: readonly string[]): Rows {
  return sql`select * from ${sql.table(ledger)} where id = any(${ids}::text[])`;
}

/** The rows of a ledger of one organization in a month. */
export function rowsIn(ledger: Ledger, orgId: string, month: string): Rows {
  return sql`select * from ${sql.table(ledger)} where org_id = ${orgId}
    and created_at >= ${month}::date::timestamp at time zone 'UTC'
    and created_at < (${month}::date + interval '1 month')::timestamp at time zone 'UTC'`;
}

const attributes = sql`org_id, (created_at at time zone 'UTC')::date as day, principal_type, principal_id, repository,
  automation_id, tags, group_ids`;

/** Adds model calls to the days and months that they belong to. */
export async function addCalls(trx: Transaction<DB>, records: Rows): Promise<void> {
  await addUse(
    trx,
    sql`select ${attributes}, model, count(*) as calls, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
        sum(cached_input_tokens) as cached_input_tokens, sum(cache_write_tokens) as cache_write_tokens,
        sum(cost_usd) as cost_usd, 0::numeric as sandbox_seconds
      from (${records}) r group by 1, 2, 3, 4, 5, 6, 7, 8, 9`,
  );
}

/** Adds the time in sandboxes to the same days and months. */
export async function addSandboxTime(trx: Transaction<DB>, measurements: Rows): Promise<void> {
  await addUse(
    trx,
    sql`select ${attributes}, '' as model, 0 as calls, 0 as input_tokens, 0 as output_tokens, 0 as cached_input_tokens,
        0 as cache_write_tokens, 0::numeric as cost_usd, sum(amount) as sandbox_seconds
      from (${measurements}) m where metric = 'session.sandbox' group by 1, 2, 3, 4, 5, 6, 7, 8`,
  );
}

const amounts = [
  'calls',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'cost_usd',
  'sandbox_seconds',
] as const;
const amountNames = sql.join(amounts.map((name) => sql.ref(name)));
const sums = sql.join(amounts.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));

function added(table: string) {
  return sql.join(
    amounts.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
  );
}

async function addUse(trx: Transaction<DB>, totals: Rows): Promise<void> {
  await sql`
    with keyed as materialized (
      select t.org_id, k.dimension, k.value, t.day, ${sums}
      from (${totals}) t cross join lateral rollup_keys(t.principal_type, t.principal_id, t.repository, t.model,
        t.automation_id, t.tags, t.group_ids) k
      group by 1, 2, 3, 4
    ), days as (
      insert into usage_days (org_id, dimension, value, day, ${amountNames})
      select org_id, dimension, value, day, ${amountNames} from keyed
      on conflict (org_id, dimension, value, day) do update set ${added('usage_days')}
    )
    insert into usage_months (org_id, dimension, value, month, ${amountNames})
    select org_id, dimension, value, date_trunc('month', day)::date, ${sums} from keyed group by 1, 2, 3, 4
    on conflict (org_id, dimension, month, value) do update set ${added('usage_months')}`.execute(trx);
}

/** Metrics have their own sums for the whole organization, a repository, a tag, and both. */
const metricKeys = sql`cross join lateral rollup_keys('', '', m.repository, '', '', m.tags, '{}') k`;
const metricDimensions = sql`k.dimension in ('organization', 'repo', 'tag', 'repo_tag')
  and (k.dimension = 'organization' or k.value <> '')`;

/** Adds measurements to their days: also as those of automations and reviews, if the session is one's. */
export async function addMetrics(trx: Transaction<DB>, measurements: Rows): Promise<void> {
  await sql`
    with m as materialized (
      select org_id, repository, tags, metric, (created_at at time zone 'UTC')::date as day, metric_bucket(amount) as bucket,
        automation_id <> '' as of_automation, origin = 'review' as of_review, sum(r.count)::bigint as count, sum(amount * r.count) as seconds
      from (${measurements}) r where metric not in ('session.sandbox', 'session.waits', 'user.active')
      group by 1, 2, 3, 4, 5, 6, 7, 8
    ), counted as (
      select m.org_id, k.dimension, k.value, n.metric, m.day, m.bucket, sum(m.count)::bigint as count, sum(m.seconds) as seconds
      from m ${metricKeys}
      cross join lateral (
        select m.metric
        union all select 'automation/' || m.metric where m.of_automation
        union all select 'review/' || m.metric where m.of_review
      ) n
      where ${metricDimensions}
      group by 1, 2, 3, 4, 5, 6
    )
    insert into metric_days (org_id, dimension, value, metric, day, count, seconds, times)
    select org_id, dimension, value, metric, day, sum(count)::bigint, sum(seconds),
      coalesce(jsonb_object_agg(bucket, count) filter (where bucket > 0), '{}')
    from counted group by 1, 2, 3, 4, 5
    on conflict (org_id, dimension, value, metric, day) do update
      set count = metric_days.count + excluded.count, seconds = metric_days.seconds + excluded.seconds,
        times = merged_times(metric_days.times, excluded.times)`.execute(trx);
}

/** Adds the users who were active to their day, week and month. */
export async function addActiveUsers(trx: Transaction<DB>, measurements: Rows): Promise<void> {
  await sql`
    with m as materialized (
      select distinct org_id, repository, tags, date_trunc('day', created_at at time zone 'UTC') as day, principal_id
      from (${measurements}) r where metric in ('session.created', 'user.active') and principal_type = 'user'
    ), added as (
      insert into active_users (org_id, dimension, value, period, start, user_id)
      select distinct m.org_id, k.dimension, k.value, p.period, date_trunc(p.period, m.day)::date, m.principal_id
      from m ${metricKeys} cross join unnest(array['day', 'week', 'month']) p (period)
      where ${metricDimensions}
      on conflict do nothing
      returning org_id, dimension, value, period, start
    )
    insert into active_user_counts as c (org_id, dimension, value, period, start, users)
    select org_id, dimension, value, period, start, count(*) from added group by 1, 2, 3, 4, 5
    on conflict (org_id, dimension, value, period, start) do update set users = c.users + excluded.users`.execute(trx);
}

const rollups = ['usage_days', 'usage_months', 'metric_days', 'active_users', 'active_user_counts'] as const;

/** Removes an organization's rollups, and the list of rows that they lack. */
export async function clearRollups(trx: Transaction<DB>, orgId: string): Promise<void> {
  // A rebuild of years takes longer than a request may.
  await sql`set local statement_timeout = 0`.execute(trx);
  for (const table of [...rollups, ...Object.values(pendingOf)])
    await sql`delete from ${sql.table(table)} where org_id = ${orgId}`.execute(trx);
}

/** Returns the months for which an organization's ledgers have rows, oldest first. */
export async function monthsOf(trx: Transaction<DB>, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    with ends as (
      (select created_at from usage_records where org_id = ${orgId} order by created_at limit 1)
      union all (select created_at from usage_records where org_id = ${orgId} order by created_at desc limit 1)
      union all (select created_at from measurements where org_id = ${orgId} order by created_at limit 1)
      union all (select created_at from measurements where org_id = ${orgId} order by created_at desc limit 1)
    )
    select month::date::text as month from generate_series(
      (select date_trunc('month', min(created_at) at time zone 'UTC') from ends),
      (select date_trunc('month', max(created_at) at time zone 'UTC') from ends), interval '1 month') month`.execute(
    trx,
  );
  return rows.map(({ month }) => month);
}

/** Lists the ids of all organizations, in order. */
export async function organizationIds(db: Executor): Promise<string[]> {
  const rows = await db.selectFrom('organizations').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}
