-- Organizations, principals and keys ---------------------------------------------------------------------------------

create table organizations (
  id text primary key,
  slug text not null unique,
  name text not null,
  state text not null default 'active' check (state in ('active', 'suspended', 'deleting')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- A slug that an organization gave up keeps resolving until it expires.
create table retired_slugs (
  slug text primary key,
  org_id text not null references organizations (id) on delete cascade,
  expires_at timestamptz not null
);
create index on retired_slugs (org_id);

create table users (
  id text primary key,
  email text not null,
  name text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));

create table members (
  org_id text not null references organizations (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  permission text not null check (permission in ('admin', 'member', 'viewer')),
  role text not null default 'regular' check (role in ('pro', 'regular')),
  role_updated_at timestamptz,
  source text not null default 'direct' check (source in ('invite', 'direct', 'sso')),
  joined_at timestamptz not null default now(),
  last_active_at timestamptz,
  primary key (org_id, user_id)
);
create index on members (user_id);

create table service_users (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  description text not null default '',
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on service_users (org_id, id);

create table api_keys (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  principal_type text not null check (principal_type in ('user', 'service_user', 'app', 'session')),
  principal_id text not null,
  name text not null,
  scopes text[] not null,
  hash text not null unique,
  prefix text not null,
  last4 text not null,
  ip_ranges text[] not null default '{}',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index on api_keys (org_id, principal_type, principal_id, id);

create table rate_limits (
  key_id text primary key references api_keys (id) on delete cascade,
  tokens double precision not null,
  refilled_at timestamptz not null
);

create table idempotency_keys (
  key_id text not null references api_keys (id) on delete cascade,
  idempotency_key text not null,
  request_hmac text not null,
  owner text not null,
  locked_until timestamptz not null,
  status integer,
  body json,
  created_at timestamptz not null default now(),
  primary key (key_id, idempotency_key)
);
create index on idempotency_keys (created_at);

create table audit_entries (
  id text primary key,
  org_id text not null,
  action text not null,
  actor_type text not null,
  actor_id text not null,
  actor_display text not null,
  resource_type text not null,
  resource_id text not null,
  outcome text not null check (outcome in ('success', 'denied', 'error')),
  ip text not null,
  user_agent text not null,
  request_id text not null,
  changes jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp()
);
create index on audit_entries (org_id, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function refuse_change();
create trigger audit_entries_no_truncate before truncate on audit_entries
  for each statement execute function refuse_change();

-- Agents -------------------------------------------------------------------------------------------------------------

create table agents (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  version integer not null default 1,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index on agents (org_id, id) where deleted_at is null;
create unique index agents_default on agents (org_id) where is_default;

-- What an agent was at each version: a session keeps the version it started with.
create table agent_versions (
  agent_id text not null references agents (id) on delete cascade,
  version integer not null,
  description text not null default '',
  system_prompt text not null default '',
  model text not null default '',
  max_tokens integer,
  temperature double precision,
  runtime text not null check (runtime in ('builtin', 'script', 'acp')),
  runtime_config jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (agent_id, version)
);

-- Git ----------------------------------------------------------------------------------------------------------------

create table git_connections (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  provider text not null check (provider in ('github', 'gitlab', 'local')),
  kind text not null check (kind in ('token', 'app', 'directory')),
  host text not null default '',
  name text not null default '',
  state text not null default 'connected' check (state in ('connected', 'degraded', 'revoked', 'error')),
  last_verified_at timestamptz,
  missing_permissions text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on git_connections (org_id, id);

create table repositories (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  connection_id text not null references git_connections (id),
  provider text not null check (provider in ('github', 'gitlab', 'local')),
  repo text not null,
  default_branch text not null default 'main',
  setup_command text not null default '',
  verify_command text not null default '',
  image text not null default '',
  next_number integer not null default 1,
  index_state text not null default 'none' check (index_state in
    ('none', 'queued', 'indexing', 'ready', 'stale', 'failed')),
  index_commit text not null default '',
  indexed_at timestamptz,
  index_error text not null default '',
  wiki_state text not null default 'none' check (wiki_state in ('none', 'queued', 'generating', 'ready', 'failed')),
  wiki_generated_at timestamptz,
  last_session_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index repositories_name on repositories (org_id, provider, lower(repo));
create index on repositories (org_id, id);
create index on repositories (connection_id);

create table change_requests (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  repository_id text not null references repositories (id) on delete cascade,
  number integer not null,
  title text not null,
  body text not null default '',
  state text not null default 'open' check (state in ('open', 'merged', 'closed')),
  draft boolean not null default false,
  head_ref text not null,
  head_sha text not null,
  base_ref text not null,
  base_sha text not null,
  author_type text not null check (author_type in ('user', 'service_user', 'app', 'session', 'system')),
  author_id text not null,
  session_id text not null default '',
  evidence jsonb not null default '[]',
  additions integer not null default 0,
  deletions integer not null default 0,
  changed_files integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  merged_at timestamptz,
  unique (repository_id, number)
);
create index on change_requests (org_id, id);
create index on change_requests (session_id) where session_id <> '';
create unique index change_requests_open_head on change_requests (repository_id, head_ref) where state = 'open';

create table change_request_comments (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  change_request_id text not null references change_requests (id) on delete cascade,
  body text not null,
  path text not null default '',
  line integer,
  author_type text not null check (author_type in ('user', 'service_user', 'app', 'session', 'system')),
  author_id text not null,
  created_at timestamptz not null default now()
);
create index on change_request_comments (change_request_id, id);
create index on change_request_comments (org_id);

-- Sessions -----------------------------------------------------------------------------------------------------------

create table sessions (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  title text not null default '',
  prompt text not null,
  status text not null default 'queued' check (status in
    ('queued', 'provisioning', 'running', 'waiting', 'suspended', 'completed', 'failed', 'canceled')),
  status_detail text not null default '',
  sandbox_state text not null default 'none' check (sandbox_state in
    ('none', 'starting', 'ready', 'paused', 'missing', 'error')),
  phases jsonb not null default '[]',
  agent_id text not null references agents (id),
  agent_version integer not null,
  model text not null default '',
  mode text not null default 'build' check (mode in ('build', 'plan', 'ask')),
  repositories jsonb not null default '[]',
  -- `provider:owner/name` and `owner/name` in lower case, for the filter.
  repo_names text[] not null default '{}',
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  origin text not null default 'api' check (origin in
    ('api', 'console', 'cli', 'mcp', 'automation', 'review', 'session')),
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  automation_id text not null default '',
  parent_session_id text not null default '',
  forked_from text not null default '',
  structured_output jsonb,
  budget jsonb not null default '{}',
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cached_input_tokens bigint not null default 0,
  cost_usd double precision not null default 0,
  sandbox_seconds double precision not null default 0,
  attempt_no integer not null default 0,
  turn integer not null default 0,
  error jsonb,
  verify_command text not null default '',
  verification text not null default '' check (verification in ('', 'fixed', 'not_reproduced', 'no_check', 'failed')),
  deliver text not null default 'change_request' check (deliver in ('change_request', 'draft', 'branch', 'none')),
  memory_enabled boolean not null default true,
  sandbox jsonb not null default '{}',
  -- What the caller asked for beyond the columns: plan approval, chosen knowledge, skills, servers, attachments, schema.
  options jsonb not null default '{}',
  last_seq bigint not null default 0,
  archived boolean not null default false,
  -- Who may write for the run: the fencing token rises with every claim and every cancellation.
  fence bigint not null default 0,
  lease_owner text not null default '',
  lease_until timestamptz,
  -- Attempts lost to dead workers since the last event or checkpoint; three end the session.
  losses integer not null default 0,
  interrupt_requested boolean not null default false,
  suspend_requested boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz
);
create index sessions_list on sessions (org_id, archived, id desc);
create index sessions_status on sessions (org_id, status, id desc);
create index sessions_creator on sessions (org_id, created_by_id, id desc);
create index sessions_tags on sessions using gin (tags);
create index sessions_repos on sessions using gin (repo_names);
create index sessions_automation on sessions (automation_id, id desc) where automation_id <> '';
create index sessions_parent on sessions (parent_session_id, id desc) where parent_session_id <> '';
create index sessions_agent on sessions (agent_id);
create index sessions_live on sessions (lease_until) where status in ('provisioning', 'running', 'waiting');
create index sessions_queued on sessions (created_at) where status = 'queued';

create table session_events (
  session_id text not null references sessions (id) on delete cascade,
  seq bigint not null,
  id text not null,
  org_id text not null,
  kind text not null,
  phase text not null default '',
  turn integer not null default 0,
  attempt_no integer not null default 0,
  data json not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (session_id, seq)
);

create table session_messages (
  id text primary key,
  org_id text not null,
  session_id text not null references sessions (id) on delete cascade,
  role text not null check (role in ('user', 'agent')),
  content text not null,
  attachment_ids text[] not null default '{}',
  delivery text not null default 'steer' check (delivery in ('steer', 'queue', 'interrupt')),
  state text not null default 'queued' check (state in ('queued', 'delivered', 'withdrawn')),
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  created_at timestamptz not null default now(),
  delivered_at timestamptz
);
create index on session_messages (session_id, id);
create index session_messages_queued on session_messages (session_id, id) where state = 'queued';

create table session_checkpoints (
  id text primary key,
  org_id text not null,
  session_id text not null references sessions (id) on delete cascade,
  repo text not null,
  commit text not null,
  base_commit text not null,
  turn integer not null,
  seq bigint not null,
  blob text not null,
  size_bytes bigint not null,
  created_at timestamptz not null default now()
);
create index on session_checkpoints (session_id, id);

create table session_artifacts (
  id text primary key,
  org_id text not null,
  session_id text not null references sessions (id) on delete cascade,
  name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  blob text not null,
  created_at timestamptz not null default now()
);
create index on session_artifacts (session_id, id);

create table session_usage (
  session_id text not null references sessions (id) on delete cascade,
  org_id text not null,
  model text not null,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cached_input_tokens bigint not null default 0,
  cost_usd double precision not null default 0,
  primary key (session_id, model)
);

create table workers (
  id text primary key,
  host text not null,
  slots integer not null,
  busy integer not null default 0,
  draining boolean not null default false,
  sandbox jsonb not null default '{}',
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- Takes up to `want` tokens from a key's bucket. A bucket may owe up to one call, so
-- that a process can settle what it already let through. Answers what was granted and what is left.
create function take_rate_tokens(key text, per_second double precision, burst double precision, want double precision,
  out granted double precision, out remaining double precision) language plpgsql as $$
declare
  available double precision;
begin
  insert into rate_limits as r (key_id, tokens, refilled_at) values (key, burst, clock_timestamp())
    on conflict (key_id) do update
      set tokens = least(burst, r.tokens + extract(epoch from clock_timestamp() - r.refilled_at) * per_second),
          refilled_at = clock_timestamp()
    returning tokens into available;
  granted := case when available > 0 then want else 0 end;
  remaining := available - granted;
  update rate_limits set tokens = remaining where key_id = key;
end $$;

-- How many sessions an organization has, without counting them for every list. Each insert adds to one of 16 rows, so
-- that concurrent transactions rarely wait for each other.
create table session_counts (
  org_id text not null references organizations (id) on delete cascade,
  archived boolean not null,
  shard smallint not null,
  n bigint not null,
  primary key (org_id, archived, shard)
);

create function count_sessions() returns trigger language plpgsql as $$
declare
  slot smallint := pg_backend_pid() % 16;
begin
  if tg_op <> 'INSERT' then
    insert into session_counts as c (org_id, archived, shard, n)
      select org_id, archived, slot, -count(*) from gone where exists (select 1 from organizations o where o.id = gone.org_id)
      group by org_id, archived
      on conflict (org_id, archived, shard) do update set n = c.n + excluded.n;
  end if;
  if tg_op <> 'DELETE' then
    insert into session_counts as c (org_id, archived, shard, n)
      select org_id, archived, slot, count(*) from come group by org_id, archived
      on conflict (org_id, archived, shard) do update set n = c.n + excluded.n;
  end if;
  return null;
end $$;
create trigger sessions_counted_insert after insert on sessions referencing new table as come
  for each statement execute function count_sessions();
create trigger sessions_counted_delete after delete on sessions referencing old table as gone
  for each statement execute function count_sessions();

create function recount_archived() returns trigger language plpgsql as $$
begin
  insert into session_counts as c (org_id, archived, shard, n)
    values (old.org_id, old.archived, pg_backend_pid() % 16, -1), (new.org_id, new.archived, pg_backend_pid() % 16, 1)
    on conflict (org_id, archived, shard) do update set n = c.n + excluded.n;
  return null;
end $$;
create trigger sessions_recounted after update of archived on sessions
  for each row when (old.archived is distinct from new.archived) execute function recount_archived();
