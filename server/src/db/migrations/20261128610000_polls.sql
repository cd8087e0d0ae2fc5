-- When a repository's host was last asked what changed, and which commits its branches had then.
create table repository_polls (
  repository_id text primary key references repositories (id) on delete cascade,
  org_id text not null references organizations (id) on delete cascade,
  -- The last attempt, which orders repositories.
  asked_at timestamptz not null,
  -- The change that was seen last, of change requests and of issues.
  change_requests_until timestamptz not null,
  issues_until timestamptz not null,
  -- The commits by branch; a deleted branch is absent.
  heads jsonb not null default '{}',
  -- Failed attempts in a row.
  failures integer not null default 0,
  problem text not null default ''
);
create index on repository_polls (org_id);

-- What automations saw last of branches, change requests and issues at other hosts, so that deliveries and polls start one run.
create table automation_sightings (
  repository_id text not null references repositories (id) on delete cascade,
  org_id text not null references organizations (id) on delete cascade,
  kind text not null check (kind in ('push', 'change_request', 'issue')),
  -- The full name of a ref, or a number.
  name text not null,
  seen jsonb not null,
  seen_at timestamptz not null,
  primary key (repository_id, kind, name)
);
create index on automation_sightings (org_id);
