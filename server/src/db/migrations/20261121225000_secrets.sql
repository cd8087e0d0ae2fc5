-- What the key ring wraps. The root is what derived keys come from: it stays when the ring is rotated.
create table installation_keys (
  name text primary key,
  ring_key text not null,
  wrapped bytea not null,
  created_at timestamptz not null default now()
);

-- The keys that an organization's secrets are sealed under. The newest version seals, every version opens. Without these
-- rows nothing of a purged organization can be opened, wherever a copy of it lies.
create table organization_keys (
  org_id text not null references organizations (id) on delete cascade,
  version integer not null,
  ring_key text not null,
  wrapped bytea not null,
  created_at timestamptz not null default now(),
  primary key (org_id, version)
);
create index on organization_keys (ring_key, org_id, version);

create table secrets (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  key text not null,
  kind text not null check (kind in ('env', 'file', 'git_credential')),
  scope text not null check (scope in ('organization', 'repository', 'user')),
  repository_id text references repositories (id) on delete cascade,
  -- Whose it is, `<type>:<id>`, where the scope is `user`; `''` for the others.
  owner text not null default '',
  note text not null default '',
  exposure text not null check (exposure in ('sandbox', 'broker')),
  allowed_hosts text[] not null default '{}',
  version integer not null default 1,
  sealed bytea not null,
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,
  check ((scope = 'repository') = (repository_id is not null)),
  check ((scope = 'user') = (owner <> ''))
);
create unique index secrets_key on secrets (org_id, scope, coalesce(repository_id, ''), owner, key);
create index on secrets (org_id, id);
create index on secrets (repository_id);

-- Which session got which version. It outlives the secret: what a session saw, it may still know.
create table secret_uses (
  org_id text not null references organizations (id) on delete cascade,
  session_id text not null references sessions (id) on delete cascade,
  secret_id text not null,
  version integer not null,
  key text not null,
  scope text not null,
  used_at timestamptz not null,
  primary key (session_id, secret_id, version)
);
create index on secret_uses (secret_id, session_id);
create index on secret_uses (org_id);

-- Secrets of one session alone, until it ends for good.
create table session_secrets (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  session_id text not null references sessions (id) on delete cascade,
  key text not null,
  kind text not null check (kind in ('env', 'file', 'git_credential')),
  exposure text not null check (exposure in ('sandbox', 'broker')),
  allowed_hosts text[] not null default '{}',
  sealed bytea not null,
  created_at timestamptz not null default now(),
  unique (session_id, key)
);
create index on session_secrets (org_id);
