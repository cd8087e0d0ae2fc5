-- Questions of one process that a worker answers while the caller waits. Nobody waits any longer after a crash, and what
-- is asked may be somebody's password for a page: neither belongs into the write-ahead log.
create unlogged table worker_calls (
  id uuid primary key,
  kind text not null,
  -- The one worker that may take it; '' for any.
  worker text not null default '',
  input text not null,
  created_at timestamptz not null default now(),
  -- When its caller no longer waits.
  expires_at timestamptz not null,
  taken_by text,
  -- Renewed by the worker that took it.
  beat_at timestamptz,
  answered_at timestamptz,
  output text,
  error text
);
-- A picture is compressed already.
alter table worker_calls alter column output set storage external;
create index worker_calls_waiting on worker_calls (created_at) where taken_by is null;
