-- Files that people give to sessions. The content is the blob `attachments/<org_id>/<id>`, stored before the row is there.
create table attachments (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  created_at timestamptz not null default now()
);
create index on attachments (org_id, id);
