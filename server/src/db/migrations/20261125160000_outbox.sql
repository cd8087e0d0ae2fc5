-- Domain events, written in the transaction of what they tell of. One that is published has no place in the order yet: a
-- transaction may commit long after one that began later.
create table outbox_pending (
  position bigint generated always as identity primary key,
  org_id text not null,
  -- `<resource>.<what happened to it>`: `session.status_changed`.
  type text not null,
  resource_type text not null,
  resource_id text not null,
  actor_type text not null,
  actor_id text not null,
  data jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp()
);

-- Events in the order in which their transactions were found committed. One process at a time adds to it, so whoever has read
-- up to a position, or up to an organization's `seq`, has missed nothing before it.
create table outbox_events (
  position bigint generated always as identity primary key,
  org_id text not null references organizations (id) on delete cascade,
  -- From 1 without gaps.
  seq bigint not null,
  type text not null,
  resource_type text not null,
  resource_id text not null,
  actor_type text not null,
  actor_id text not null,
  data jsonb not null,
  created_at timestamptz not null,
  unique (org_id, seq)
);

-- The last `seq` of each organization.
create table outbox_heads (
  org_id text primary key references organizations (id) on delete cascade,
  seq bigint not null
);

-- How far each consumer has come.
create table outbox_cursors (
  name text primary key,
  position bigint not null,
  -- In a row, since it last got on; it is tried again at `retry_at`.
  failures integer not null default 0,
  retry_at timestamptz,
  problem text not null default '',
  -- When a process last knew this consumer.
  seen_at timestamptz not null default now()
);
