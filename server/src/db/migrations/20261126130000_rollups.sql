-- What happened to sessions and change requests, for metrics, and how long sandboxes ran: rows are only added. Like the ledger
-- of model calls, but from domain events.
create table measurements (
  -- `<metric>/<what it counts once>`, so that the same event adds nothing the second time.
  id text primary key,
  -- Without a cascade: a purge deletes the rows of large organizations in batches.
  org_id text not null references organizations (id),
  metric text not null,
  -- Not a reference: it stays when the session is deleted.
  session_id text not null,
  principal_type text not null,
  principal_id text not null,
  origin text not null,
  -- As in usage_records.
  repository text not null,
  automation_id text not null,
  tags text[] not null,
  group_ids text[] not null,
  -- Seconds of metrics that measure a time, otherwise 0.
  amount numeric(20, 3) not null default 0,
  created_at timestamptz not null
);
create index on measurements (org_id, created_at);
create index on measurements (session_id, metric, created_at);

create function refuse_measurement_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    -- Only with its organization.
    if exists (select from organizations where id = old.org_id and state <> 'deleting') then
      raise exception 'measurements is append-only' using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  raise exception 'measurements is append-only' using errcode = 'restrict_violation';
end $$;
create trigger measurements_append_only before update or delete on measurements
  for each row execute function refuse_measurement_change();

-- Who a session works for and what it belongs to, now; of a deleted session, when it was created. In a tree of sessions, the
-- creator and the automation of its root.
create function session_account(of_session text)
  returns table (org_id text, principal_type text, principal_id text, origin text, repository text, automation_id text,
    tags text[], group_ids text[])
  language sql stable as $$
  with recursive parents (type, id, automation_id) as (
    select s.created_by_type, s.created_by_id, s.automation_id from sessions s where s.id = of_session
    union all
    select s.created_by_type, s.created_by_id, s.automation_id
    from parents join sessions s on parents.type = 'session' and s.id = parents.id
  ), known as (
    select s.org_id, coalesce(root.type, s.created_by_type) as principal_type, coalesce(root.id, s.created_by_id) as principal_id,
      s.origin, coalesce((s.repositories -> 0 ->> 'provider') || ':' || (s.repositories -> 0 ->> 'repo'), '') as repository,
      coalesce(nullif(s.automation_id, ''), root.automation_id, '') as automation_id, s.tags
    from sessions s left join parents root on root.type <> 'session'
    where s.id = of_session
  )
  select k.*, array(
      select g.group_id from group_members g
      where k.principal_type = 'user' and g.org_id = k.org_id and g.user_id = k.principal_id order by 1)
  from known k
  union all
  select m.org_id, m.principal_type, m.principal_id, m.origin, m.repository, m.automation_id, m.tags, m.group_ids
  from measurements m
  where m.id = 'session.created/' || of_session and not exists (select from sessions s where s.id = of_session)
$$;

-- To which automation, tags and groups a call belongs when it is settled: a later change of them leaves the past as it was.
alter table usage_records
  add column automation_id text not null default '',
  add column tags text[] not null default '{}',
  add column group_ids text[] not null default '{}';
alter table usage_records disable trigger usage_records_append_only;
update usage_records u set automation_id = a.automation_id, tags = a.tags, group_ids = a.group_ids
from sessions s cross join lateral session_account(s.id) a where s.id = u.session_id;
alter table usage_records enable trigger usage_records_append_only;

-- Rows that the rollups do not have yet. Transactions commit in another order than they begin, so a position in the ledger
-- could pass over one; what is deleted here was added there, in one transaction.
create table usage_pending (
  number bigint generated always as identity primary key,
  org_id text not null,
  record_id text not null
);
create table measurements_pending (
  number bigint generated always as identity primary key,
  org_id text not null,
  record_id text not null
);
create function note_usage() returns trigger language plpgsql as $$
begin
  insert into usage_pending (org_id, record_id) select org_id, id from added;
  return null;
end $$;
create trigger usage_records_noted after insert on usage_records referencing new table as added
  for each statement execute function note_usage();
create function note_measurements() returns trigger language plpgsql as $$
begin
  insert into measurements_pending (org_id, record_id) select org_id, id from added;
  return null;
end $$;
create trigger measurements_noted after insert on measurements referencing new table as added
  for each statement execute function note_measurements();
insert into usage_pending (org_id, record_id) select org_id, id from usage_records;

-- Time in sandboxes is counted when a turn ends, on any of several ways.
create function measure_sandbox() returns trigger language plpgsql as $$
begin
  insert into measurements
  select 'session.sandbox/' || gen_random_uuid(), a.org_id, 'session.sandbox', new.id, a.principal_type, a.principal_id, a.origin,
    a.repository, a.automation_id, a.tags, a.group_ids, (new.sandbox_seconds - old.sandbox_seconds)::numeric, clock_timestamp()
  from session_account(new.id) a;
  return null;
end $$;
create trigger sessions_sandbox_measured after update of sandbox_seconds on sessions for each row
  when (new.sandbox_seconds > old.sandbox_seconds) execute function measure_sandbox();

-- What is summed for a row: an entry of each dimension that it has a value for. The value '' is the sum of the dimension's
-- values: of `tag`, a row with two tags counts twice.
create function rollup_keys(principal_type text, principal_id text, repository text, model text, automation_id text, tags text[],
    group_ids text[])
  returns table (dimension text, value text) language sql immutable as $$
  select 'organization', ''
  union all select principal_type, v from unnest(array[principal_id, '']) v where principal_type in ('user', 'service_user')
  union all select 'repo', v from unnest(array[repository, '']) v where repository <> ''
  union all select 'model', v from unnest(array[model, '']) v where model <> ''
  union all select 'automation', v from unnest(array[automation_id, '']) v where automation_id <> ''
  union all select 'tag', v from unnest(tags || array_fill(''::text, array[cardinality(tags)])) v
  union all select 'group', v from unnest(group_ids) v
  union all select 'repo_tag', repository || e'\n' || v from unnest(tags) v where repository <> ''
$$;

-- Days are UTC's.
create table usage_days (
  org_id text not null references organizations (id),
  dimension text not null,
  value text not null,
  day date not null,
  calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_input_tokens bigint not null,
  cache_write_tokens bigint not null,
  cost_usd numeric(20, 6) not null,
  sandbox_seconds numeric(20, 3) not null,
  primary key (org_id, dimension, value, day)
);
create index on usage_days (org_id, dimension, day);

-- The same by month, for the most expensive values of a long time.
create table usage_months (
  org_id text not null references organizations (id),
  dimension text not null,
  value text not null,
  month date not null,
  calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_input_tokens bigint not null,
  cache_write_tokens bigint not null,
  cost_usd numeric(20, 6) not null,
  sandbox_seconds numeric(20, 3) not null,
  primary key (org_id, dimension, month, value)
);

-- Times are counted in classes: number 0 up to a millisecond, then four for each doubling.
create function metric_bucket(seconds numeric) returns smallint language sql immutable as $$
  select case when seconds <= 0.001 then 0 else ceil(round((4 * ln(seconds::float8 * 1000) / ln(2::float8))::numeric, 9)) end::smallint
$$;

create table metric_days (
  org_id text not null references organizations (id),
  -- `organization`, `repo`, `tag` or `repo_tag`.
  dimension text not null,
  value text not null,
  metric text not null,
  day date not null,
  count bigint not null,
  seconds numeric(20, 3) not null,
  -- The number of times in each class but 0, by class: most metrics measure no time.
  times jsonb not null,
  primary key (org_id, dimension, value, metric, day)
);
create function merged_times(a jsonb, b jsonb) returns jsonb language sql immutable as $$
  select case when a = '{}' then b when b = '{}' then a else (
    select jsonb_object_agg(bucket, total) from (
      select bucket, sum(count::bigint)::bigint as total
      from (select * from jsonb_each_text(a) union all select * from jsonb_each_text(b)) t (bucket, count) group by bucket
    ) sums) end
$$;

-- Users who created a session, wrote to one or decided an approval in a period, and their number.
create table active_users (
  org_id text not null references organizations (id),
  dimension text not null,
  value text not null,
  period text not null check (period in ('day', 'week', 'month')),
  start date not null,
  user_id text not null,
  primary key (org_id, dimension, value, period, start, user_id)
);
create table active_user_counts (
  org_id text not null references organizations (id),
  dimension text not null,
  value text not null,
  period text not null check (period in ('day', 'week', 'month')),
  start date not null,
  users bigint not null,
  primary key (org_id, dimension, value, period, start)
);

-- The prices in the settings `models`, and when they applied. A call's price is that of its time and stays in its record.
create table model_prices (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  model text not null,
  input_per_mtok numeric not null,
  output_per_mtok numeric not null,
  cached_input_per_mtok numeric not null,
  effective_from timestamptz not null,
  -- Null while it applies.
  effective_until timestamptz
);
create unique index on model_prices (org_id, model) where effective_until is null;
create index on model_prices (org_id, id);
insert into model_prices
select 'prc_' || left(md5(s.org_id || '/' || p.key), 26), s.org_id, p.key, (p.value ->> 'input_per_mtok')::numeric,
  (p.value ->> 'output_per_mtok')::numeric,
  coalesce(p.value ->> 'cached_input_per_mtok', p.value ->> 'input_per_mtok')::numeric, s.updated_at
from settings s cross join lateral jsonb_each(case jsonb_typeof(s.value -> 'prices') when 'object' then s.value -> 'prices' end) p
where s.namespace = 'models';

-- The past, as far as sessions and change requests still show it.
insert into measurements
select m.metric || '/' || s.id, s.org_id, m.metric, s.id, a.principal_type, a.principal_id, a.origin, a.repository, a.automation_id,
  a.tags, a.group_ids, greatest(0, m.amount), m.at
from sessions s cross join lateral session_account(s.id) a
cross join lateral (values
  ('session.created', 0, s.created_at),
  ('session.queued', extract(epoch from s.started_at - s.created_at), s.started_at),
  ('session.' || s.status, 0, case when s.status in ('completed', 'failed', 'canceled') then coalesce(s.ended_at, s.updated_at) end),
  ('session.sandbox', s.sandbox_seconds::numeric, case when s.sandbox_seconds > 0 then s.updated_at end)
) m (metric, amount, at)
where m.at is not null;
insert into measurements
select m.metric || '/' || c.id, c.org_id, m.metric, c.session_id, a.principal_type, a.principal_id, a.origin, a.repository,
  a.automation_id, a.tags, a.group_ids, greatest(0, m.amount), m.at
from change_requests c join sessions s on s.id = c.session_id cross join lateral session_account(s.id) a
cross join lateral (values
  ('change_request.opened', extract(epoch from c.created_at - s.created_at), c.created_at),
  ('change_request.merged', extract(epoch from c.merged_at - c.created_at), c.merged_at),
  ('change_request.closed', 0, case c.state when 'closed' then c.updated_at end)
) m (metric, amount, at)
where m.at is not null;
