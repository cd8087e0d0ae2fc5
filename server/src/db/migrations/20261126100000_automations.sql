-- Automations open sessions by themselves, or hand runs to external executors.
create table automations (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  enabled boolean not null,
  -- `degraded`: its latest run failed. `paused`: by a person, or after failures; nothing but a person starts it then.
  status text not null default 'active' check (status in ('active', 'paused', 'degraded')),
  -- In the order of the definition, each with an id: [{id, type, …, conditions}].
  triggers jsonb not null,
  action jsonb not null,
  executor text not null check (executor in ('platform', 'external')),
  run_as text not null check (run_as in ('organization', 'creator')),
  concurrency text not null check (concurrency in ('skip', 'queue', 'replace', 'parallel')),
  missed_runs text not null check (missed_runs in ('skip', 'run_once', 'catch_up')),
  max_attempts integer not null check (max_attempts >= 1),
  backoff_seconds integer not null check (backoff_seconds >= 0),
  timeout_minutes integer not null check (timeout_minutes >= 1),
  -- 0: never. null: as the organization's settings say.
  pause_after_failures integer check (pause_after_failures >= 0),
  -- Runs that ended without success since the last that had it.
  consecutive_failures integer not null default 0,
  last_run_at timestamptz,
  next_run_at timestamptz,
  created_by_type text not null,
  created_by_id text not null,
  -- Counts changes of the definition; not what runs and the scheduler note.
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on automations (org_id, id);

-- What starts an automation: a row per trigger. The scheduler reads those that are due, events and hooks find theirs.
create table automation_triggers (
  -- Of a webhook its `hook_…`.
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  automation_id text not null references automations (id) on delete cascade,
  type text not null check (type in ('schedule', 'once', 'webhook', 'change_request', 'issue', 'push')),
  -- The next time of a schedule, or the time of `once`; null while nothing is due: disabled, paused, or over.
  due_at timestamptz
);
create index on automation_triggers (automation_id);
create index on automation_triggers (due_at) where due_at is not null;
create index on automation_triggers (org_id, type);
