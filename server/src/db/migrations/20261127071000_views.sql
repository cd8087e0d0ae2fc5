-- Named filters of a list, which the members of an organization share.
create table views (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  list text not null,
  name text not null,
  query jsonb not null,
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  created_at timestamptz not null
);
create index on views (org_id, id desc);
create unique index views_name on views (org_id, list, lower(name));
