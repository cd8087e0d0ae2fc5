-- What a worker says of the browsers it can run: how many at once, and why none.
alter table workers
  add column browser_slots integer not null default 0,
  add column browser_problem text not null default '';

-- A browser that lives in a worker for somebody outside.
create table browser_sessions (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  worker text not null,
  -- Whose artifacts its pictures are.
  session_id text references sessions (id) on delete set null,
  created_by_type text not null,
  created_by_id text not null,
  -- Where it was last; forgotten with its end.
  url text not null default '',
  title text not null default '',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Null until the browser runs: it has its place in the worker already.
  opened_at timestamptz,
  ended_at timestamptz
);
create index on browser_sessions (org_id);
create index on browser_sessions (session_id) where session_id is not null;
create index browser_sessions_live on browser_sessions (worker) where ended_at is null;
