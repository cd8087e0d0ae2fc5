-- Which key made a key or an invite, null for a sign-in or the operator: what a key made is revoked with it.
alter table api_keys add column created_by_key text;
create index on api_keys (created_by_key) where created_by_key is not null;
alter table invites add column created_by_key text;
create index on invites (created_by_key) where accepted_at is null and revoked_at is null and created_by_key is not null;
