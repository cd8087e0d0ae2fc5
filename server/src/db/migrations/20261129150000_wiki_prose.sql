alter table wikis
  -- True while somebody asked for prose that no session was started for yet.
  add column wants_prose boolean not null default false,
  -- The commit that the session reads; '' before the first.
  add column session_commit text not null default '';
create index wikis_session on wikis (session_id) where session_id <> '';

alter table wiki_pages
  -- The commit whose lines the links of the prose name; '' without prose.
  add column prose_commit text not null default '',
  -- The blobs of the page when a session was asked to write about it.
  add column asked_blobs text[] not null default '{}';
