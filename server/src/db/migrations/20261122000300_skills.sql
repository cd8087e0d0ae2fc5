-- Bundles in the open SKILL.md format. What a skill is at the moment stands in its row, what it was in its revisions.
create table skills (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  description text not null,
  source text not null check (source in ('managed', 'imported')),
  revision integer not null default 1,
  digest text not null,
  enabled boolean not null default true,
  -- [{scope, repo}]; none is the same as the whole organization.
  assignments jsonb not null default '[]',
  license text not null default '',
  metadata jsonb not null default '{}',
  file_count integer not null,
  size_bytes integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A session goes on with what it began with, so the content stays for a while.
  deleted_at timestamptz
);
create unique index skills_name on skills (org_id, name) where deleted_at is null;
create index on skills (org_id, id);
create index on skills (deleted_at) where deleted_at is not null;

-- Never changed: a session pins one by its number.
create table skill_revisions (
  skill_id text not null references skills (id) on delete cascade,
  revision integer not null,
  org_id text not null references organizations (id) on delete cascade,
  digest text not null,
  name text not null,
  description text not null,
  license text not null,
  metadata jsonb not null,
  -- [{path, size_bytes, sha256, executable}] in the order of the paths' bytes.
  files jsonb not null,
  -- The files' contents, one behind the other in that order.
  content bytea not null,
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  created_at timestamptz not null default now(),
  primary key (skill_id, revision)
);
create index on skill_revisions (org_id);
