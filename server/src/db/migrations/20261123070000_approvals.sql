-- What a session asked of people before it goes on, and what they said.
create table session_approvals (
  id text primary key,
  org_id text not null,
  session_id text not null references sessions (id) on delete cascade,
  kind text not null check (kind in ('plan', 'tool')),
  state text not null default 'pending' check (state in ('pending', 'approved', 'denied', 'expired')),
  -- What is to be approved: the tool with its input, or the plan.
  tool text not null default '',
  input jsonb not null default '{}',
  plan text not null default '',
  -- What was approved in the plan's place; '' for the plan as it was.
  edited_plan text not null default '',
  note text not null default '',
  -- The message that tells the agent of the decision; '' where none does.
  message_id text not null default '',
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  decided_by_type text check (decided_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  decided_by_id text,
  decided_at timestamptz
);
create index on session_approvals (session_id, id);
create index on session_approvals (message_id) where message_id <> '';
-- A session waits for one plan at a time, and each pending approval comes to its end.
create unique index session_approvals_pending_plan on session_approvals (session_id) where state = 'pending' and kind = 'plan';
create index session_approvals_due on session_approvals (expires_at) where state = 'pending';
