-- Programs of others, each with keys of its own. What an app did stays on record when it is gone.
create table apps (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  description text not null default '',
  created_at timestamptz not null default now()
);
create index on apps (org_id, id);

-- What a key opens: the API, or as a person's tool token the platform's own MCP server alone.
alter table api_keys add column door text not null default 'api' check (door in ('api', 'mcp'));

-- A person has one tool token in an organization.
create unique index api_keys_tool_token on api_keys (org_id, principal_id) where door = 'mcp' and revoked_at is null;
