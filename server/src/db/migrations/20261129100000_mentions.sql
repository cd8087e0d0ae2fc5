-- Mentions before this time start nothing; null while the policy has them off.
alter table follow_policies add column mentions_since timestamptz;

-- What people with write access asked of the platform in issues and change requests of git hosts, each once.
create table mentions (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  repository_id text not null references repositories (id) on delete cascade,
  kind text not null check (kind in ('issue', 'change_request')),
  number integer not null,
  -- Names the comment; 'body' is the text of the issue itself.
  said_id text not null,
  -- Where it is answered; '' for the whole.
  thread_id text not null default '',
  -- Nobody answers an 'ignored' one; the owner of the change request has a 'followed' one; a 'started' one has a session.
  state text not null check (state in ('ignored', 'followed', 'refused', 'started', 'ended')),
  session_id text not null default '',
  -- Why no session started, or why the answer could not be posted; '' otherwise.
  problem text not null default '',
  -- What was posted last.
  posted text not null default '' check (posted in ('', 'receipt', 'result')),
  -- While a process posts.
  held_until timestamptz,
  created_at timestamptz not null,
  unique (repository_id, kind, number, said_id)
);
create index on mentions (org_id);
create index on mentions (repository_id, created_at) where session_id <> '';
create index on mentions (session_id) where session_id <> '';
create index mentions_open on mentions (created_at) where posted <> 'result' and state in ('refused', 'started');
