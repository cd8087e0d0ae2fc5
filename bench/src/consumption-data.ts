import type { Database } from '../../server/src/db/pool.ts';

/** The generated organization. */
export interface Extent {
  orgId: string;
  sessions: number;
  callsPerSession: number;
  days: number;
}

/** Adds sessions `from` up to `to` to the ledgers, as they would have come: in the order of their days. */
export async function seedLedgers(db: Database, extent: Extent, from: number, to: number): Promise<void> {
  const { orgId, sessions, callsPerSession, days } = extent;
  await db.pool.query(`${sessionsOf} ${calls}`, [orgId, sessions, from, to, days, callsPerSession]);
  await db.pool.query(`${sessionsOf} ${events}`, [orgId, sessions, from, to, days]);
}

/**
 * 500 users, 50 service users, 200 repositories, 12 models, 100 automations, 40 tags and 20 groups, unevenly used. Each
 * repository has four of the tags.
 */
const sessionsOf = `
  with s as materialized (
    select n, 'ses_' || lpad(to_hex(n), 26, '0') as id,
      case when n % 10 = 0 then 'service_user' else 'user' end as principal_type,
      case when n % 10 = 0 then 'svc_' || h % 50 else 'usr_' || (sqrt(h % 250000))::int % 500 end as principal_id,
      case when n % 7 = 0 then 'automation' else 'api' end as origin,
      'local:acme/' || r as repository,
      case when n % 7 = 0 then 'aut_' || h % 100 else '' end as automation_id,
      case h % 3 when 0 then '{}' when 1 then array['tag-' || r % 40] else array['tag-' || r % 40, 'tag-' || (r + 1 + n % 3) % 40] end as tags,
      array['grp_' || h % 20] as group_ids, h,
      now() - (1 - n::float8 / $2::int) * $5::int * interval '1 day' as at
    from (select n, h, (sqrt(h % 40000))::int % 200 as r
      from (select n, abs(hashint4(n)::bigint) as h from generate_series($3::int, $4::int - 1) n) n) n
  )`;

const calls = `
  insert into usage_records (id, org_id, session_id, principal_type, principal_id, origin, repository, provider, model, input_tokens,
    output_tokens, cached_input_tokens, cache_write_tokens, cost_usd, price_source, created_at, automation_id, tags, group_ids)
  select 'use_' || lpad(to_hex(n::bigint * $6::int + c), 26, '0'), $1, id, principal_type, principal_id, origin, repository, 'bench',
    'bench/model-' || h % 12, 1000 + h % 9000, 100 + (h / 7) % 900, h % 1000, 0, ((h * c) % 1000003)::numeric / 1000000, 'published',
    at + c * interval '30 seconds', automation_id, tags, group_ids
  from s cross join generate_series(1, $6::int) c`;

const events = `
  insert into measurements (id, org_id, metric, session_id, principal_type, principal_id, origin, repository, automation_id, tags,
    group_ids, amount, created_at)
  select m.metric || '/' || id, $1, m.metric, id, principal_type, principal_id, origin, repository, automation_id, tags, group_ids,
    m.amount, at + m.minutes * interval '1 minute'
  from s cross join lateral (values
    ('session.created', 0::numeric, 0), ('session.queued', exp(h % 900 / 100.0)::numeric, 1),
    ('session.sandbox', 60 + h % 1000, 11), ('session.waits', 0, 12), ('session.waited', exp(h % 1100 / 100.0)::numeric, 20),
    (case when h % 5 = 0 then 'session.failed' else 'session.completed' end, 0, 21),
    (case when h % 4 = 0 then 'session.verify_failed' else 'session.verify_passed' end, 0, 21),
    (case when h % 5 < 3 then 'change_request.opened' end, 600 + h % 5000, 21),
    (case when h % 5 = 1 then 'change_request.merged' when h % 5 = 2 then 'change_request.closed' end, h % 90000, 60)
  ) m (metric, amount, minutes)
  where m.metric is not null`;

/** Drops the indexes of the ledgers but their keys: they are faster created at once. Returns what creates them again. */
export async function dropIndexes(db: Database): Promise<() => Promise<void>> {
  const { rows } = await db.pool.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid in ('usage_records'::regclass, 'measurements'::regclass) and not indisprimary`,
  );
  for (const { name } of rows) await db.pool.query(`drop index ${name}`);
  return async () => {
    for (const { definition } of rows) await db.pool.query(definition);
  };
}

/** Returns a digest of every rollup of an organization, with the sum of all costs. */
export async function digestOf(db: Database, orgId: string): Promise<string> {
  const digests: string[] = [];
  for (const table of ['usage_days', 'usage_months', 'metric_days', 'active_users', 'active_user_counts']) {
    const { rows } = await db.pool.query<{ digest: string }>(
      `select count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as digest from ${table} t where org_id = $1`,
      [orgId],
    );
    digests.push(`${table} ${rows[0]?.digest ?? ''}`);
  }
  return digests.join('\n');
}

/** Returns the sum of the costs in the ledger, and of those in the rollups, as decimals. */
export async function costsOf(db: Database, orgId: string): Promise<{ ledger: string; rollups: string }> {
  const { rows } = await db.pool.query<{ ledger: string; rollups: string }>(
    `select (select sum(cost_usd)::text from usage_records where org_id = $1) as ledger,
      (select sum(cost_usd)::text from usage_days where org_id = $1 and dimension = 'organization') as rollups`,
    [orgId],
  );
  return rows[0] ?? { ledger: '', rollups: '' };
}
