-- From where an organization's keys may be used. The revision grows with every change: whoever holds a copy of the list
-- knows by it, without a query of its own, whether the copy is still the list.
alter table organizations
  add column ip_list_enabled boolean not null default false,
  add column ip_list_revision bigint not null default 0;

create table ip_access_entries (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  position integer not null,
  -- In canonical form: no bit behind the prefix, IPv4-mapped ranges as IPv4.
  cidr text not null,
  note text not null default '',
  created_at timestamptz not null default now(),
  unique (org_id, cidr)
);
