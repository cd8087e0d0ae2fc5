import { ago, type Shop } from './world.ts';

/** A session that was. */
export interface Past {
  /** The first name of who started it. */
  by: string;
  /** Minutes since it was started. */
  begun: number;
  /** Minutes from its start to its end. */
  took: number;
  /** US dollars. */
  cost: number;
}

/** Moves a session into the past, and gives it its cost and its person. */
export async function antedate(shop: Shop, id: string, { begun, took, cost, by }: Past): Promise<void> {
  const from = ago(begun);
  const to = ago(begun - took);
  await shop.sql(
    `update sessions set created_at = $2, started_at = $2, updated_at = $3, activity_at = $3, cost_usd = $4::numeric,
       input_tokens = ($4::numeric * 353572)::int, output_tokens = ($4::numeric * 9857.2)::int,
       cached_input_tokens = ($4::numeric * 247500)::int, created_by_type = 'user', created_by_id = $5,
       sandbox_seconds = $6, ended_at = case when ended_at is null then null else $3::timestamptz end,
       working_since = case when working_since is null then null else $2::timestamptz end where id = $1`,
    [id, from, to, cost, shop.people[by] ?? '', Math.round(took * 60)],
  );
  await shop.sql(
    `update session_events set created_at = $2::timestamptz + ($3::timestamptz - $2::timestamptz) * (seq::float8 /
       (select max(seq) from session_events where session_id = $1)) where session_id = $1`,
    [id, from, to],
  );
  await shop.sql('update session_approvals set requested_at = $2 where session_id = $1', [id, to]);
  await shop.sql(
    `insert into usage_records (id, org_id, session_id, principal_type, principal_id, origin, repository, provider, model,
       input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, cost_usd, price_source, created_at)
     select 'use_' || id, org_id, id, created_by_type, created_by_id, 'console', 'local:' || repo_names[1], 'anthropic',
       'anthropic/claude-sonnet-5', input_tokens, output_tokens, cached_input_tokens, 0, cost_usd, 'published', $2
     from sessions where id = $1`,
    [id, from],
  );
  await shop.sql('update session_artifacts set created_at = $2 where session_id = $1', [id, to]);
  await shop.sql('update session_contexts set created_at = $2 where session_id = $1', [id, from]);
  await shop.sql('update change_requests set created_at = $2, updated_at = $2 where session_id = $1', [id, to]);
}

/** Moves into the past what a team made once, and lets its groups have used something today. */
export async function settle(shop: Shop): Promise<void> {
  const { orgId, sql } = shop;
  for (const table of ['agents', 'apps', 'service_users', 'groups', 'skills', 'mcp_servers', 'secrets', 'repositories'])
    await sql(
      `update ${table} t set created_at = now() - n * interval '67 hours' from (select id, 3 + row_number() over (order by id desc) as n
         from ${table} where org_id = $1) o where t.id = o.id`,
      [orgId],
    );
  for (const table of ['agents', 'skills', 'mcp_servers', 'secrets', 'repositories'])
    await sql(`update ${table} set updated_at = created_at + interval '20 hours' where org_id = $1`, [orgId]);
  await sql(
    `update agent_versions v set created_at = a.created_at + (v.version - 1) * interval '20 hours' from agents a
     where a.id = v.agent_id and a.org_id = $1`,
    [orgId],
  );
  await sql(
    `update members set joined_at = u.created_at, last_active_at = now() - o.n * o.n * interval '50 minutes'
     from users u, (select id, row_number() over (order by id) - 1 as n from users) o
     where u.id = members.user_id and o.id = u.id and members.org_id = $1`,
    [orgId],
  );
  await sql(
    `update memory_notes set created_at = now() - interval '11 days', updated_at = now() - interval '11 days' where org_id = $1`,
    [orgId],
  );
  await sql(`update settings set updated_at = now() - interval '9 days' where org_id = $1`, [orgId]);
  await sql(
    `update webhook_deliveries set attempts = case state when 'failed' then 5 else 1 end,
       status_code = case state when 'failed' then 503 else 204 end where org_id = $1`,
    [orgId],
  );
  await sql(
    `update api_keys set created_at = created_at - interval '40 days', last_used_at = now() - interval '25 minutes' where org_id = $1`,
    [orgId],
  );
  await sql(
    `insert into group_days (group_id, day, cost_usd, tokens, sessions, sandbox_seconds)
     select id, to_char(now() at time zone 'Europe/Berlin', 'YYYY-MM-DD')::date, 6.1 + 3.2 * row_number() over (order by name),
       2100000, 7 + 4 * row_number() over (order by name), 4300 from groups where org_id = $1
     on conflict (group_id, day) do update set cost_usd = excluded.cost_usd, tokens = excluded.tokens,
       sessions = excluded.sessions, sandbox_seconds = excluded.sandbox_seconds`,
    [orgId],
  );
}
