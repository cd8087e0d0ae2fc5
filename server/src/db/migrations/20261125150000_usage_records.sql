-- The ledger of model calls: one row for each that used something. Sums elsewhere (of a session, of a group's day) are rollups of it.
create table usage_records (
  id text primary key,
  -- Without a cascade: a purge deletes the rows of large organizations in batches.
  org_id text not null references organizations (id),
  -- Not a reference: what was spent stays on record when the session is deleted.
  session_id text not null,
  -- Who the session works for: of a child session, whoever created the first one of its tree.
  principal_type text not null,
  principal_id text not null,
  origin text not null,
  -- The session's first repository, as `provider:owner/name`; '' for none.
  repository text not null,
  provider text not null,
  -- `<provider>/<name>`.
  model text not null,
  -- The cached tokens and those written to a cache are among the input's.
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_input_tokens bigint not null,
  cache_write_tokens bigint not null,
  -- In whole millionths.
  cost_usd numeric(20, 6) not null,
  -- `opening`: the sum of a session's calls with a model from before there was a ledger.
  price_source text not null check (price_source in ('organization', 'operator', 'published', 'none', 'opening')),
  created_at timestamptz not null default now()
);
create index on usage_records (org_id, created_at);
create index on usage_records (org_id, principal_type, principal_id, created_at);
create index on usage_records (session_id);

insert into usage_records
with recursive roots (id, type, principal) as (
  select id, created_by_type, created_by_id from sessions where created_by_type <> 'session'
  union all
  select child.id, roots.type, roots.principal
  from sessions child join roots on child.created_by_type = 'session' and child.created_by_id = roots.id
)
select 'use_' || left(md5(u.session_id || '/' || u.model), 26), s.org_id, s.id, coalesce(r.type, s.created_by_type),
  coalesce(r.principal, s.created_by_id), s.origin,
  coalesce((s.repositories -> 0 ->> 'provider') || ':' || (s.repositories -> 0 ->> 'repo'), ''),
  case when u.model like '%/%' then split_part(u.model, '/', 1) else '' end, u.model,
  u.input_tokens, u.output_tokens, u.cached_input_tokens, 0, u.cost_usd::numeric, 'opening', s.updated_at
from session_usage u join sessions s on s.id = u.session_id left join roots r on r.id = s.id;

drop table session_usage;

create function refuse_usage_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    -- Only with its organization.
    if exists (select from organizations where id = old.org_id and state <> 'deleting') then
      raise exception 'usage_records is append-only' using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  raise exception 'usage_records is append-only' using errcode = 'restrict_violation';
end $$;
create trigger usage_records_append_only before update or delete on usage_records
  for each row execute function refuse_usage_change();
