-- How change requests of a repository are followed until they merge; the defaults hold without a row.
create table follow_policies (
  repository_id text primary key references repositories (id) on delete cascade,
  org_id text not null references organizations (id) on delete cascade,
  policy jsonb not null,
  updated_at timestamptz not null
);
create index on follow_policies (org_id);

-- Change requests that are followed, each by one session.
create table follows (
  change_request_id text primary key references change_requests (id) on delete cascade,
  org_id text not null references organizations (id) on delete cascade,
  repository_id text not null references repositories (id) on delete cascade,
  number integer not null,
  -- The session that works on it.
  session_id text not null,
  state text not null check (state in ('watching', 'working', 'ready', 'needs_person', 'paused', 'ended')),
  -- Why it needs a person, is paused or has ended; '' otherwise.
  reason text not null default '',
  head_sha text not null default '',
  -- Counters, what was handled, and the round that is under way.
  memory jsonb not null,
  checks_state text not null default 'none' check (checks_state in ('none', 'pending', 'success', 'failure')),
  failing text[] not null default '{}',
  review_state text not null default '' check (review_state in ('', 'approved', 'changes_requested', 'commented')),
  -- When to look again without an event; null for never.
  look_at timestamptz,
  -- Counts changes, so that a decision from older facts is not recorded.
  revision bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on follows (org_id, state);
create index on follows (repository_id);
create index on follows (session_id);
create index follows_due on follows (look_at) where look_at is not null;

-- What a decision about a change request led to. Each has a key, so that it happens once.
create table follow_actions (
  change_request_id text not null references follows (change_request_id) on delete cascade,
  key text not null,
  org_id text not null references organizations (id) on delete cascade,
  action jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'failed')),
  problem text not null default '',
  attempts integer not null default 0,
  -- The process that carries it out holds it until then.
  held_until timestamptz,
  created_at timestamptz not null,
  done_at timestamptz,
  primary key (change_request_id, key)
);
create index on follow_actions (org_id);
create index follow_actions_pending on follow_actions (change_request_id, created_at) where state = 'pending';

-- A message can come from a git host: a person's comment, or what its checks said.
alter table session_messages drop constraint session_messages_created_by_type_check;
alter table session_messages add constraint session_messages_created_by_type_check
  check (created_by_type in ('user', 'service_user', 'app', 'session', 'system', 'provider'));
alter table session_messages add column source jsonb;
