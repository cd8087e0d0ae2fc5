-- What the agent of a session was given at the beginning of a turn in a fresh sandbox, by kind, each item with its reason.
create table session_contexts (
  session_id text not null references sessions (id) on delete cascade,
  turn integer not null,
  given jsonb not null,
  created_at timestamptz not null default now(),
  primary key (session_id, turn)
);
-- Whether the newest of them is what the session's work goes on with: false from the moment a turn begins in a fresh
-- sandbox until it is on record what the agent gets there.
alter table sessions add column equipped boolean not null default false;
