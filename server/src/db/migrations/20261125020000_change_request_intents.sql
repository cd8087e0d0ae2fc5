-- The change requests of the built-in git host, as its own: `change_requests` is the record of what any provider says.
create table hosted_change_requests (
  repository_id text not null references repositories (id) on delete cascade,
  org_id text not null references organizations (id) on delete cascade,
  number integer not null,
  title text not null,
  body text not null,
  state text not null default 'open' check (state in ('open', 'merged', 'closed')),
  draft boolean not null,
  head_ref text not null,
  head_sha text not null,
  base_ref text not null,
  merge_commit text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  merged_at timestamptz,
  primary key (repository_id, number)
);
create index on hosted_change_requests (org_id);
create unique index hosted_change_requests_open_head on hosted_change_requests (repository_id, head_ref) where state = 'open';

insert into hosted_change_requests
  (repository_id, org_id, number, title, body, state, draft, head_ref, head_sha, base_ref, created_at, updated_at, merged_at)
select c.repository_id, c.org_id, c.number, c.title, c.body, c.state, c.draft, c.head_ref, c.head_sha, c.base_ref,
  c.created_at, c.updated_at, c.merged_at
from change_requests c
join repositories r on r.id = c.repository_id
where r.provider = 'local';

-- What the provider said last, and when; '' and null where only this installation's API shows it.
alter table change_requests add column url text not null default '';
alter table change_requests add column mergeable boolean;
alter table change_requests add column provider_updated_at timestamptz;
update change_requests set provider_updated_at = updated_at;
alter table change_requests alter column provider_updated_at set not null;
-- A provider decides how many change requests a branch may have.
drop index change_requests_open_head;
create index on change_requests (repository_id, head_ref) where state = 'open';

-- What somebody asked of a provider, from before it is asked until the answer is on record. One that nobody renews any more
-- was left behind by a process that ended: whoever comes next asks the provider what became of it.
create table change_request_intents (
  change_request_id text primary key references change_requests (id) on delete cascade,
  org_id text not null references organizations (id) on delete cascade,
  action text not null check (action in ('merge', 'squash', 'close')),
  -- Who asked, for the audit entry.
  actor_type text not null,
  actor_id text not null,
  actor_display text not null,
  ip text not null,
  user_agent text not null,
  request_id text not null,
  -- The attempt that works on it.
  owner text not null,
  held_until timestamptz not null,
  -- Set where another one than the attempt found the answer: the actor is told it when asking again.
  settled_at timestamptz,
  created_at timestamptz not null
);
create index on change_request_intents (org_id);
