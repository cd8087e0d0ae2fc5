-- Every revision of a note, whole: to read, to restore, and to give a session the same again.
create table knowledge_note_revisions (
  note_id text not null references knowledge_notes (id) on delete cascade,
  revision integer not null,
  org_id text not null references organizations (id) on delete cascade,
  name text not null,
  trigger text not null,
  body text not null,
  scope text not null check (scope in ('organization', 'repository', 'user')),
  repo_filter text not null,
  -- Whose alone the revision was; who it was stays so when the note is given to all later.
  user_id text check ((scope = 'user') = (user_id is not null)),
  enabled boolean not null,
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  created_at timestamptz not null,
  primary key (note_id, revision)
);
create index on knowledge_note_revisions (org_id);
insert into knowledge_note_revisions (
  note_id, revision, org_id, name, trigger, body, scope, repo_filter, user_id, enabled, created_by_type, created_by_id, created_at)
select id, revision, org_id, name, trigger, body, scope, repo_filter, user_id, enabled, created_by_type, created_by_id, updated_at
from knowledge_notes;

-- Which sessions were given a note: each counts once, however often its sandbox is made anew.
create table knowledge_note_uses (
  session_id text not null references sessions (id) on delete cascade,
  note_id text not null references knowledge_notes (id) on delete cascade,
  org_id text not null references organizations (id) on delete cascade,
  used_at timestamptz not null,
  primary key (session_id, note_id)
);
create index on knowledge_note_uses (note_id);
create index on knowledge_note_uses (org_id);

-- What sessions had to find out, for a person to keep as a note or to dismiss.
create table knowledge_suggestions (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  session_id text references sessions (id) on delete set null,
  name text not null,
  trigger text not null,
  body text not null,
  repo text not null default '',
  status text not null default 'pending' check (status in ('pending', 'accepted', 'dismissed')),
  note_id text references knowledge_notes (id) on delete set null,
  decided_by_type text check (decided_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  decided_by_id text,
  decided_at timestamptz,
  created_at timestamptz not null,
  check ((status = 'pending') = (decided_at is null)),
  check ((decided_at is null) = (decided_by_type is null) and (decided_at is null) = (decided_by_id is null))
);
create unique index knowledge_suggestions_once on knowledge_suggestions (session_id, md5(body));
create index on knowledge_suggestions (org_id, id);
create index on knowledge_suggestions (org_id, md5(body));
create index on knowledge_suggestions (note_id) where note_id is not null;
