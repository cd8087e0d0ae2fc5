-- The description of what a session delivered to a repository, for a change request that someone opens for it later. It can
-- have 64 KiB, so it is not in `repositories`, which lists read for each session that they show.
create table session_delivered_bodies (
  session_id text not null references sessions (id) on delete cascade,
  repository_id text not null,
  body text not null,
  primary key (session_id, repository_id)
);

insert into session_delivered_bodies
  select s.id, r ->> 'repository_id', r ->> 'delivered_body'
  from sessions s, jsonb_array_elements(s.repositories) r
  where r ? 'delivered_body'
  on conflict do nothing;

update sessions set repositories = (
    select jsonb_agg(r - 'delivered_body' order by n) from jsonb_array_elements(repositories) with ordinality e (r, n))
  where repositories @? '$[*].delivered_body';
