-- What an organization set, by namespace, as it was put: what it left out has its default when it is read.
create table settings (
  org_id text not null references organizations (id) on delete cascade,
  namespace text not null,
  value jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (org_id, namespace)
);
