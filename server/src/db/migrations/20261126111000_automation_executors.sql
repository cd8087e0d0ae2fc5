-- The receivers to which automations hand their external runs out; without one, executors claim them.
create table automation_executors (
  automation_id text primary key references automations (id) on delete cascade,
  org_id text not null references organizations (id) on delete cascade,
  url text not null,
  -- Signs the requests.
  sealed_secret bytea not null,
  -- Who set it: callback tokens of handed-out runs speak for that principal.
  principal_type text not null check (principal_type in ('user', 'service_user', 'app')),
  principal_id text not null,
  principal_name text not null,
  updated_at timestamptz not null
);
create index on automation_executors (org_id);
