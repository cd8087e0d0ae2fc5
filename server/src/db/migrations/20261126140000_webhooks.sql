-- Receivers of an organization's events.
create table webhooks (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  url text not null,
  -- Types of events, or `<resource>.*`; empty for all.
  events text[] not null,
  -- The scopes of the principal that chose the receiver and its events: it gets no others.
  scopes text[] not null,
  enabled boolean not null,
  -- Why the platform disabled it; '' if it did not.
  disabled_reason text not null default '' check (disabled_reason in ('', 'failures', 'gone', 'backlog')),
  sealed_secret bytea not null,
  -- The secret before the last rotation, which also signs until then.
  sealed_previous_secret bytea,
  previous_until timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- Nothing is sent before this time, because the receiver did not answer.
  paused_until timestamptz,
  -- The number of deliveries in the state `pending`.
  pending integer not null default 0,
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on webhooks (org_id);

-- Deliveries of events to receivers. A lane is a resource: one of its deliveries after the other is due.
create table webhook_deliveries (
  id text primary key,
  position bigint generated always as identity,
  org_id text not null references organizations (id) on delete cascade,
  webhook_id text not null references webhooks (id) on delete cascade,
  lane text not null,
  -- 0 for a test.
  event_seq bigint not null,
  type text not null,
  resource_type text not null,
  resource_id text not null,
  payload text not null,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  -- Also the fencing token of the attempt that runs.
  attempts integer not null default 0,
  -- The next attempt; null while an earlier delivery of the lane is pending, and after the end.
  due_at timestamptz,
  -- An attempt runs until then; null if none does.
  leased_until timestamptz,
  -- The result of the last attempt.
  status_code integer,
  problem text not null default '',
  response_body text not null default '',
  duration_ms integer,
  created_at timestamptz not null,
  ended_at timestamptz
);
create index on webhook_deliveries (org_id);
create index on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_lane on webhook_deliveries (webhook_id, lane, position) where state = 'pending';
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where state = 'pending' and due_at is not null;
create index webhook_deliveries_leased on webhook_deliveries (webhook_id) where leased_until is not null;
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;
