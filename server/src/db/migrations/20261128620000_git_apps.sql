-- Apps that were created at a git host for an organization. One App can have several installations, each with a connection.
create table git_apps (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  provider text not null check (provider in ('github')),
  -- The host's web address.
  url text not null,
  -- The App's id at the host.
  app_id text not null,
  slug text not null,
  name text not null,
  html_url text not null,
  sealed_private_key bytea not null,
  sealed_webhook_secret bytea not null,
  created_at timestamptz not null
);
create index on git_apps (org_id);

-- Apps that somebody is about to create: the state of the manifest flow, for one use by one principal.
create table git_app_manifests (
  -- The SHA-256 of the state.
  state_hash text primary key,
  org_id text not null references organizations (id) on delete cascade,
  -- The id that the App will have here.
  git_app_id text not null,
  url text not null,
  principal_type text not null,
  principal_id text not null,
  expires_at timestamptz not null
);
create index on git_app_manifests (org_id);

-- The App of a connection of the kind `app`; '' for others.
alter table git_connections add column git_app_id text not null default '';
create index git_connections_app on git_connections (git_app_id) where git_app_id <> '';
