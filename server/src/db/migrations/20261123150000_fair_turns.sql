-- When a session of an organization last began: among those that have as many running, the one served longest ago is next.
create table organization_turns (
  org_id text primary key references organizations (id) on delete cascade,
  served_at timestamptz not null
);

-- Sessions that wait for a place, each organization's in their order.
create index sessions_to_begin on sessions (org_id, created_at)
  where not dispatched and waits_for = '' and status in ('queued', 'provisioning', 'running');
-- Sessions that have a place, also while no worker has them.
create index sessions_going_on on sessions (lease_until) where dispatched;
drop index sessions_claimable;
drop index sessions_live;
