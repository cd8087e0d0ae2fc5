-- Connections to other git hosts. `url` is the host's web address; '' for the built-in one.
alter table git_connections add column url text not null default '';
-- The account at the host that acts; '' until the host named it.
alter table git_connections add column account text not null default '';
-- What is wrong and what to do; '' while it works.
alter table git_connections add column problem text not null default '';
-- The credential as JSON, sealed by the organization's data key; null for the built-in host.
alter table git_connections add column sealed_credential bytea;
-- The secret that signs the host's deliveries, sealed alike; null without one.
alter table git_connections add column sealed_webhook_secret bytea;
