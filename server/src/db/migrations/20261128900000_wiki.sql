-- What a wiki says about files beside their symbols. Existing indexes are built anew by their next update.
alter table index_blobs add column lines integer not null default 0;
alter table index_symbols
  add column is_exported boolean not null default false,
  add column doc text not null default '';

-- Imports, routes and environment variables of a blob, by line.
create table index_facts (
  repository_id text not null,
  blob text not null,
  kind text not null check (kind in ('import', 'route', 'env')),
  name text not null,
  -- A route's method; '' otherwise.
  detail text not null default '',
  line integer not null,
  foreign key (repository_id, blob) references index_blobs (repository_id, blob) on delete cascade
);
create index index_facts_by_blob on index_facts (repository_id, blob);

update repository_indexes set is_rebuild = true;

-- The wiki of a repository; its state is in `repositories`.
create table wikis (
  repository_id text primary key references repositories (id) on delete cascade,
  -- The commit that the pages describe; '' before the first.
  commit_sha text not null default '',
  -- Why the last generation failed; '' otherwise.
  error text not null default '',
  -- What the wiki leaves out, in words; '' for nothing.
  note text not null default '',
  -- Who last asked for it, as `type:id`: their prose is written in their name.
  requested_by text not null default '',
  -- The session that writes prose; '' while none does.
  session_id text not null default '',
  -- Why the last session wrote no prose; '' otherwise.
  prose_error text not null default ''
);

create table wiki_pages (
  repository_id text not null references wikis (repository_id) on delete cascade,
  slug text not null,
  position integer not null,
  -- The slug of the page above it; '' at the top.
  parent text not null,
  kind text not null check (kind in ('overview', 'architecture', 'commands', 'configuration', 'interfaces', 'activity', 'module', 'steered')),
  title text not null,
  summary text not null,
  -- Markdown, whose links name files as `path@commit#L1`.
  body text not null,
  -- The blobs that the page describes.
  blobs text[] not null,
  -- What a model wrote about these, and the blobs of that time; '' and none before.
  prose text not null default '',
  prose_blobs text[] not null default '{}',
  prose_at timestamptz,
  primary key (repository_id, slug)
);
