-- The rules of an organization and of its repositories. A key that `rules` does not have is inherited: from the organization's
-- default, or else from the platform's.
create table guardrails (
  -- The repository's id; of the default, the organization's.
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  -- Null for the default.
  repository_id text references repositories (id) on delete cascade,
  rules jsonb not null,
  -- True if it has a rule that is checked when a session is dispatched.
  at_dispatch boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on guardrails (org_id);
create index on guardrails (repository_id);

-- Which session was created on which repository, also after its deletion, so that a deletion gives no session back.
create table guardrail_sessions (
  session_id text not null,
  -- '' for a session without a repository.
  repository_id text not null,
  org_id text not null references organizations (id) on delete cascade,
  created_at timestamptz not null,
  primary key (session_id, repository_id)
);
create index on guardrail_sessions (org_id, repository_id, created_at);

insert into guardrail_sessions
select s.id, r.id, s.org_id, s.created_at
from sessions s, lateral (
  select distinct one ->> 'repository_id' as id from jsonb_array_elements(s.repositories) one
  where coalesce(one ->> 'repository_id', '') <> ''
  union all
  select '' where jsonb_array_length(s.repositories) = 0
) r
on conflict do nothing;

-- A change request that is being opened counts before its provider has answered.
create table guardrail_openings (
  repository_id text not null references repositories (id) on delete cascade,
  head_ref text not null,
  org_id text not null references organizations (id) on delete cascade,
  held_until timestamptz not null,
  primary key (repository_id, head_ref)
);
create index on guardrail_openings (org_id);

create table violations (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  -- '' for a session without a repository.
  repository_id text not null,
  -- The repository's name at that time; '' for none.
  provider text not null,
  repo text not null,
  rule text not null,
  action text not null check (action in ('warned', 'blocked', 'killed')),
  -- '' for a session that was not created.
  session_id text not null,
  evidence jsonb not null,
  -- Equal ones within a minute are one row.
  count integer not null default 1,
  fold text not null,
  created_at timestamptz not null,
  acknowledged_by_type text not null default '',
  acknowledged_by_id text not null default '',
  acknowledged_at timestamptz,
  unique (org_id, fold)
);
create index on violations (org_id, id);
create index on violations (org_id, session_id);

-- Whoever waits for a repository's guardrail is checked again when a session on it ends its turn. Before `sessions_left` by name:
-- decisions lock guardrails, then capacity, then the days of groups.
create function leave_guardrail() returns trigger language plpgsql as $$
declare
  counted record;
begin
  if exists (select from guardrails where org_id = old.org_id and at_dispatch) then
    for counted in select repository_id as id from guardrail_sessions where session_id = old.id order by repository_id loop
      -- One after the other with whoever is being admitted.
      perform pg_advisory_xact_lock(hashtextextended('guardrail ' || old.org_id || ' ' || counted.id, 0));
      perform wake_line('guardrail/' || old.org_id || '/' || counted.id);
    end loop;
  end if;
  return case when tg_op = 'UPDATE' then new else old end;
end $$;
create trigger sessions_guardrail before update of status on sessions for each row
  when (old.dispatched and new.status not in ('queued', 'provisioning', 'running')) execute function leave_guardrail();
create trigger sessions_before_deleted before delete on sessions for each row
  when (old.dispatched) execute function leave_guardrail();
