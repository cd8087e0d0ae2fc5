-- Statuses that CI systems set on commits of repositories of the built-in host; one for each name.
create table commit_statuses (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  repository_id text not null references repositories (id) on delete cascade,
  sha text not null,
  name text not null,
  state text not null check (state in ('pending', 'success', 'failure', 'error', 'neutral')),
  description text not null,
  url text not null,
  author_type text not null check (author_type in ('user', 'service_user', 'app', 'session', 'system')),
  author_id text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index on commit_statuses (repository_id, sha, name);
create index on commit_statuses (repository_id, sha, id desc);
create index on commit_statuses (org_id);

alter table change_request_comments
  -- The head commit that it was written on; '' if that is not known.
  add column head_sha text not null default '',
  -- For the text of a review: the review's verdict.
  add column review_state text not null default '' check (review_state in ('', 'commented', 'changes_requested')),
  -- For a comment of a review: the comment with the review's text.
  add column review_id text not null default '',
  add column acknowledged_at timestamptz;
