-- What agents are to know while they work, found by its words.
create table knowledge_notes (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  -- When the note is of use.
  trigger text not null,
  body text not null,
  scope text not null default 'organization' check (scope in ('organization', 'repository', 'user')),
  -- '' for every repository, else globs separated by commas: [provider:]owner/name, [provider:]owner/*.
  repo_filter text not null default '',
  -- Whose it is, where its scope is one person.
  user_id text references users (id) on delete cascade check ((scope = 'user') = (user_id is not null)),
  enabled boolean not null default true,
  revision integer not null default 1,
  source text not null default 'user' check (source in ('user', 'suggestion', 'import')),
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  use_count bigint not null default 0,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  search tsvector not null generated always as (
    setweight(to_tsvector('english', name), 'A') || setweight(to_tsvector('english', trigger), 'A') ||
    setweight(to_tsvector('english', body), 'C')) stored
);
create index on knowledge_notes (org_id, id);
create index on knowledge_notes (user_id) where user_id is not null;
create index on knowledge_notes using gin (search);
