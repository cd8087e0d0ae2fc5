-- Reviews of change requests. One at a time holds a head commit: a repeated request finds it.
create table reviews (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  repository_id text not null references repositories (id) on delete cascade,
  change_request_id text not null references change_requests (id) on delete cascade,
  number integer not null,
  base_sha text not null,
  head_sha text not null,
  status text not null default 'queued' check (status in
    ('queued', 'running', 'completed', 'failed', 'superseded', 'canceled')),
  verdict text not null default '' check (verdict in ('', 'comment', 'request_changes')),
  summary text not null default '',
  -- What went wrong; '' unless it failed.
  problem text not null default '',
  instructions text not null default '',
  -- The session that reviews; '' before it exists.
  session_id text not null default '',
  -- The reviewer that was asked for; '' for the policy's.
  agent_id text not null default '',
  -- The comment on the change request with its summary; '' for none. The next review rewrites it.
  comment_id text not null default '',
  -- A person's request, or the repository's policy.
  trigger text not null check (trigger in ('request', 'policy')),
  created_by_type text not null check (created_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  created_by_id text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz
);
create index on reviews (org_id, id desc);
create index on reviews (repository_id, number, id desc);
create index on reviews (change_request_id);
create index reviews_session on reviews (session_id) where session_id <> '';
create unique index reviews_head on reviews (repository_id, number, head_sha) where status <> 'superseded';

-- What reviews found in a change request; a finding stays one over pushes.
create table review_findings (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  repository_id text not null references repositories (id) on delete cascade,
  change_request_id text not null references change_requests (id) on delete cascade,
  number integer not null,
  -- The review that saw it first, and the last one that saw it.
  first_review_id text not null references reviews (id) on delete cascade,
  review_id text not null references reviews (id) on delete cascade,
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  confidence double precision not null,
  category text not null,
  title text not null,
  body text not null,
  suggestion text not null,
  file text not null,
  side text not null check (side in ('old', 'new')),
  line integer,
  start_line integer,
  -- True for a line that the change added or changed.
  in_diff boolean not null,
  -- A command that shows the problem and what it printed; '' for none.
  evidence text not null,
  -- Identifies it over pushes: by file, category and the lines around it.
  fingerprint text not null,
  -- The text of its line, to find it again when its neighbors changed.
  anchor text not null,
  status text not null default 'open' check (status in ('open', 'resolved', 'dismissed')),
  -- Why it was dismissed, or the commit that resolved it.
  reason text not null default '',
  -- Its comment on the change request; '' if it was only counted.
  comment_id text not null default '',
  -- The session that fixes it; '' for none.
  fix_session_id text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index on review_findings (change_request_id, fingerprint);
create index on review_findings (org_id, id desc);
create index on review_findings (review_id, id);
create index on review_findings (first_review_id);

-- When and how change requests of a repository are reviewed; the defaults hold without a row.
create table review_policies (
  repository_id text primary key references repositories (id) on delete cascade,
  org_id text not null references organizations (id) on delete cascade,
  policy jsonb not null,
  updated_at timestamptz not null
);
create index on review_policies (org_id);
