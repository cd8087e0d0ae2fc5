-- Groups -------------------------------------------------------------------------------------------------------------

create table groups (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  description text not null default '',
  -- What its members' sessions may use in a day; null is no limit.
  max_cost_usd double precision,
  max_tokens bigint,
  max_sessions integer,
  max_sandbox_minutes double precision,
  timezone text not null default 'UTC',
  on_exceed text not null default 'block' check (on_exceed in ('block', 'queue')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on groups (org_id, id);
create unique index groups_name on groups (org_id, lower(name));

create table group_members (
  group_id text not null references groups (id) on delete cascade,
  org_id text not null,
  user_id text not null,
  added_at timestamptz not null default now(),
  primary key (group_id, user_id),
  foreign key (org_id, user_id) references members (org_id, user_id) on delete cascade
);
create index on group_members (org_id, user_id);

-- One day of a group, by its own midnight. Used and reserved together never pass a limit. Decimal numbers, so that what
-- is taken away leaves nothing behind.
create table group_days (
  group_id text not null references groups (id) on delete cascade,
  day date not null,
  cost_usd numeric not null default 0,
  tokens bigint not null default 0,
  sessions integer not null default 0,
  sandbox_seconds numeric not null default 0,
  reserved_cost_usd numeric not null default 0,
  reserved_tokens bigint not null default 0,
  reserved_sessions integer not null default 0,
  reserved_sandbox_seconds numeric not null default 0,
  primary key (group_id, day)
);

-- Where sessions wait: a group's id, an organization's, or `<organization>/<member>`. Nobody looks at them before the
-- line is awake.
create table waiting_lines (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  wake_at timestamptz not null
);
create index on waiting_lines (org_id);
create index on waiting_lines (wake_at);

create function wake_line(line text) returns void language plpgsql as $$
begin
  update waiting_lines set wake_at = '-infinity' where id = line and wake_at > '-infinity';
  if found then
    perform pg_notify('guildhall_dispatch', line);
  end if;
end $$;
