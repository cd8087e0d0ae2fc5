-- The tool servers of an organization (Model Context Protocol): by URL, or as a command that runs inside sandboxes.
-- Values of `env` and `headers` name secrets as `${NAME}`; no value of one is in this table.
create table mcp_servers (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  slug text not null,
  name text not null,
  icon text not null default '',
  description text not null default '',
  source text not null check (source in ('custom', 'catalog', 'blueprint')),
  url text not null default '',
  command text not null default '',
  args text[] not null default '{}',
  env jsonb not null default '{}',
  headers jsonb not null default '{}',
  access text not null check (access in ('organization', 'repositories', 'on_request')),
  enabled boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, slug),
  check ((url = '') <> (command = ''))
);
create index on mcp_servers (org_id, id);

-- Of servers with the access `repositories`: whose sessions get them.
create table mcp_server_repositories (
  org_id text not null references organizations (id) on delete cascade,
  server_id text not null references mcp_servers (id) on delete cascade,
  repository_id text not null references repositories (id) on delete cascade,
  primary key (server_id, repository_id)
);
create index on mcp_server_repositories (repository_id);
create index on mcp_server_repositories (org_id);

create table mcp_server_secrets (
  org_id text not null references organizations (id) on delete cascade,
  server_id text not null references mcp_servers (id) on delete cascade,
  name text not null,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (server_id, name)
);
create index on mcp_server_secrets (org_id);
