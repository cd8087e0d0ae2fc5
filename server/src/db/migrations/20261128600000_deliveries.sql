-- The secret before the newest one, which stays valid for a while after a rotation.
alter table git_connections add column sealed_previous_webhook_secret bytea;
alter table git_connections add column previous_webhook_secret_until timestamptz;
-- Why the host does not deliver to this installation, and what to do; '' while it does.
alter table git_connections add column webhook_problem text not null default '';
-- When a delivery came last; null before.
alter table git_connections add column last_delivery_at timestamptz;

-- Deliveries of git hosts that were accepted. The body is a blob until the delivery was read.
create table deliveries (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  -- The webhook that it came to.
  hook_id text not null,
  connection_id text not null,
  -- The host's id, or the body's SHA-256 if the host gives none.
  delivery_id text not null,
  -- The headers that adapters read.
  headers jsonb not null,
  size_bytes integer not null,
  state text not null default 'received' check (state in ('received', 'processed', 'failed')),
  attempts integer not null default 0,
  problem text not null default '',
  received_at timestamptz not null,
  processed_at timestamptz
);
create unique index on deliveries (hook_id, delivery_id);
create index on deliveries (org_id, id);
create index deliveries_received on deliveries (received_at) where state = 'received';
