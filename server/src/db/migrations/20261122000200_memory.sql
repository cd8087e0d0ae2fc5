-- Notes that people keep on a repository for the agents that work there. The repository need not be connected.
create table memory_notes (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  provider text not null check (provider in ('github', 'gitlab', 'local')),
  repo text not null,
  revision integer not null default 1,
  -- The newest revision that a session was given, and when it first was.
  materialized_revision integer,
  materialized_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index on memory_notes (org_id, provider, lower(repo), id);
-- Those that are forgotten after a while.
create index on memory_notes (deleted_at) where deleted_at is not null;

-- Every revision stays. The last one of a deleted note says so: it has the title, and no content.
create table memory_note_revisions (
  memory_id text not null references memory_notes (id) on delete cascade,
  revision integer not null,
  org_id text not null references organizations (id) on delete cascade,
  title text not null,
  content text not null,
  deleted boolean not null default false,
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  created_at timestamptz not null default now(),
  primary key (memory_id, revision)
);
create index on memory_note_revisions (org_id);

-- Which revision lies in which file of a session's home. It outlives the note: what a session saw, it may still know.
create table memory_projections (
  session_id text not null references sessions (id) on delete cascade,
  memory_id text not null,
  revision integer not null,
  path text not null,
  org_id text not null references organizations (id) on delete cascade,
  sha256 text not null,
  created_at timestamptz not null default now(),
  primary key (session_id, path, memory_id, revision)
);
create index on memory_projections (org_id);

-- What agents wrote down about a repository. One that a newer one took the place of stays for a while: a session whose
-- sandbox is lost gets again what it had.
create table memory_generated (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  provider text not null check (provider in ('github', 'gitlab', 'local')),
  repo text not null,
  agent text not null,
  path text not null,
  content text not null,
  sha256 text not null,
  updated_at timestamptz not null default now(),
  superseded_at timestamptz
);
create unique index memory_generated_current on memory_generated (org_id, provider, lower(repo), agent, path)
  where superseded_at is null;
create index on memory_generated (org_id, provider, lower(repo));
create index on memory_generated (superseded_at) where superseded_at is not null;
