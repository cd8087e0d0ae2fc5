-- The runs of automations. `runs/transitions.ts` has the transitions of the status.
create table automation_runs (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  automation_id text not null references automations (id) on delete cascade,
  status text not null check (status in
    ('pending', 'running', 'retrying', 'succeeded', 'failed', 'timed_out', 'canceled', 'skipped')),
  executor text not null check (executor in ('platform', 'external')),
  -- No other exclusive run of the automation runs at the same time.
  exclusive boolean not null,
  -- The kind of trigger, and its id in the automation; '' for a person or a session.
  trigger text not null,
  trigger_id text not null default '',
  -- Data from outside; the agent gets it as data, never as instructions.
  payload jsonb not null default '{}',
  deduplication_key text not null,
  scheduled_at timestamptz,
  -- How many runs before it started one another, each by what its session pushed or opened.
  chain_length integer not null default 0,
  attempt_no integer not null default 1 check (attempt_no >= 1),
  -- The newest token, and the attempt that got it; 0 before the first.
  fencing_token integer not null default 0 check (fencing_token >= 0),
  token_attempt_no integer not null default 0,
  -- How that attempt ended; '' while it runs.
  outcome text not null default '' check (outcome in ('', 'succeeded', 'failed', 'timed_out', 'canceled')),
  -- The watchdog ended it: its lease or its time was over.
  by_watchdog boolean not null default false,
  session_id text not null default '',
  -- Of an external executor, which renews it by heartbeats.
  lease_expires_at timestamptz,
  -- The end of the automation's timeout, counted from the start of work.
  deadline_at timestamptz,
  next_attempt_at timestamptz,
  summary text not null default '',
  error_class text not null default '',
  error_message text not null default '',
  latency_ms integer,
  skip_reason text not null default '',
  created_at timestamptz not null,
  started_at timestamptz,
  -- Of the newest attempt.
  attempt_started_at timestamptz,
  ended_at timestamptz,
  unique (automation_id, deduplication_key),
  -- An attempt runs exactly while the holder of the newest token has not come to an end.
  check ((status = 'running') = (fencing_token > 0 and outcome = ''))
);
create index on automation_runs (org_id, id);
create index on automation_runs (automation_id, id);
create unique index automation_runs_exclusive on automation_runs (automation_id) where status = 'running' and exclusive;
create index on automation_runs (automation_id, id) where status in ('pending', 'running', 'retrying');
create index on automation_runs (org_id, id) where status = 'pending' and executor = 'external';
create index on automation_runs (session_id) where session_id <> '';

-- The callback tokens of attempts that external executors got. Only the SHA-256 is stored.
create table automation_run_tokens (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  run_id text not null references automation_runs (id) on delete cascade,
  fencing_token integer not null,
  attempt_no integer not null,
  hash text not null unique,
  last4 text not null,
  -- Who claimed the run: the token speaks for that principal.
  principal_type text not null check (principal_type in ('user', 'service_user', 'app')),
  principal_id text not null,
  principal_name text not null,
  created_at timestamptz not null,
  unique (run_id, fencing_token)
);
create index on automation_run_tokens (org_id);

create function automation_run_may_become(old_status text, new_status text) returns boolean language sql immutable
  return case old_status
    when 'pending' then new_status in ('canceled', 'failed', 'retrying', 'running', 'succeeded')
    when 'running' then new_status in ('canceled', 'failed', 'retrying', 'succeeded', 'timed_out')
    when 'retrying' then new_status in ('canceled', 'pending', 'succeeded')
    when 'failed' then new_status = 'pending'
    when 'timed_out' then new_status in ('pending', 'succeeded')
    when 'canceled' then new_status = 'pending'
    else false end;

-- No writer goes around the table, and a fencing token or an attempt never goes back.
create function refuse_automation_run_transition() returns trigger language plpgsql as $$
begin
  raise exception 'the run % is % (attempt %, token %) and cannot become % (attempt %, token %)',
    old.id, old.status, old.attempt_no, old.fencing_token, new.status, new.attempt_no, new.fencing_token
    using errcode = 'check_violation', constraint = 'automation_runs_transition',
      hint = 'Add the transition to runs/transitions.ts and a migration that defines automation_run_may_become anew.';
end $$;
create trigger automation_runs_transition before update on automation_runs for each row
  when ((old.status <> new.status and not automation_run_may_become(old.status, new.status))
    or new.attempt_no < old.attempt_no or new.fencing_token < old.fencing_token)
  execute function refuse_automation_run_transition();
