-- Progress and counts of a repository's index; its state is in `repositories`.
create table repository_indexes (
  repository_id text primary key references repositories (id) on delete cascade,
  -- Files of the running or last update whose symbols had to be found, and how many of them were looked at.
  files_to_parse integer not null default 0,
  files_parsed integer not null default 0,
  -- True if the next update starts from nothing.
  is_rebuild boolean not null default true
);

-- Files of the indexed commit that may have symbols.
create table index_files (
  repository_id text not null references repository_indexes (repository_id) on delete cascade,
  path text collate "C" not null,
  blob text not null,
  -- Why the file is skipped for its path, whatever its content; '' if it is not.
  skipped text not null default '',
  primary key (repository_id, path)
);
create index index_files_by_blob on index_files (repository_id, blob);

-- Blobs that were looked at: a blob never changes, so none is parsed twice.
create table index_blobs (
  repository_id text not null references repository_indexes (repository_id) on delete cascade,
  blob text not null,
  -- Why it was skipped; '' if it was parsed.
  skipped text not null default '',
  primary key (repository_id, blob)
);

create table index_symbols (
  repository_id text not null,
  blob text not null,
  name text not null,
  kind text not null,
  container text not null,
  line integer not null,
  end_line integer not null,
  signature text not null,
  foreign key (repository_id, blob) references index_blobs (repository_id, blob) on delete cascade
);
create index index_symbols_by_blob on index_symbols (repository_id, blob);
create index index_symbols_by_name on index_symbols (repository_id, lower(name) text_pattern_ops);
