-- The last thing that a session did, as its lists show it; '' and null before the first.
alter table sessions add column activity text not null default '', add column activity_at timestamptz;

-- Counts by status, of everybody's sessions and of one principal's. Archived ones are most of an old organization's.
create index sessions_by_status on sessions (org_id, status, created_by_id, id desc) where not archived;
-- The order by the last change.
create index sessions_updated on sessions (org_id, archived, updated_at desc, id desc);
create index sessions_verification on sessions (org_id, verification, id desc) where verification <> '';

-- How far members have read sessions, of those that they started or have opened.
create table session_reads (
  session_id text not null references sessions (id) on delete cascade,
  user_id text not null,
  org_id text not null,
  -- The last event that the member has read; 0 for none.
  seq bigint not null default 0,
  -- The event with which the session last stopped; 0 before the first.
  stopped_seq bigint not null default 0,
  unread boolean not null generated always as (stopped_seq > seq) stored,
  primary key (session_id, user_id),
  foreign key (org_id, user_id) references members (org_id, user_id) on delete cascade
);
create index session_reads_unread on session_reads (org_id, user_id, unread, session_id);
