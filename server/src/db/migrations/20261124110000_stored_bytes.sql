-- How many bytes an organization keeps outside the database: its blobs by their keys, and the repositories of the built-in git
-- host as `repositories/<org_id>/<id>`.
create table stored_bytes (
  key text primary key collate "C",
  org_id text not null references organizations (id) on delete cascade,
  size_bytes bigint not null check (size_bytes >= 0),
  updated_at timestamptz not null default now()
);
create index on stored_bytes (org_id);

-- Their sum, kept by the trigger below. A row is there from an organization's beginning, so that it can be locked.
create table organization_storage (
  org_id text primary key references organizations (id) on delete cascade,
  used_bytes bigint not null default 0
);
insert into organization_storage (org_id) select id from organizations;

create function begin_organization_storage() returns trigger language plpgsql as $$
begin
  insert into organization_storage (org_id) values (new.id);
  return null;
end $$;
create trigger begin_storage after insert on organizations for each row execute function begin_organization_storage();

create function sum_stored_bytes() returns trigger language plpgsql as $$
begin
  update organization_storage
    set used_bytes = used_bytes + coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0)
    where org_id = coalesce(new.org_id, old.org_id);
  return null;
end $$;
create trigger sum_bytes after insert or update of size_bytes or delete on stored_bytes
  for each row execute function sum_stored_bytes();
