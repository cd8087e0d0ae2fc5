-- A deleted repository stays for a while, with what hangs on it, so that it can be restored. Its name is free at once.
alter table repositories add column deleted_at timestamptz;
drop index repositories_name;
create unique index repositories_name on repositories (org_id, provider, lower(repo)) where deleted_at is null;
create index on repositories (deleted_at) where deleted_at is not null;
