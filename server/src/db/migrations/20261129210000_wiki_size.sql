-- The pages of a wiki count as storage of its organization, as `wikis/<org_id>/<repository_id>`.
insert into stored_bytes (key, org_id, size_bytes)
  select 'wikis/' || r.org_id || '/' || r.id, r.org_id, sum(octet_length(p.body) + octet_length(p.prose))
  from wiki_pages p join repositories r on r.id = p.repository_id
  group by r.org_id, r.id;

alter table wiki_pages
  -- True if a session was asked to write about the page since somebody last asked for prose.
  add column is_tried boolean not null default false;
