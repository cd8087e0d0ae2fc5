-- The tags and repositories of sessions, for lists of one organization's sessions in order, and for their totals, which read
-- nothing else. Indexes of the arrays on `sessions` gave the sessions of all organizations with a value, in no order, and
-- got a new entry with each change of a session.
create table session_labels (
  org_id text not null,
  -- `tag`, or `repository`: its name without the provider, in lower case.
  kind text not null,
  value text not null,
  archived boolean not null,
  session_id text not null,
  primary key (org_id, kind, value, archived, session_id)
);

create function label_session() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from session_labels where org_id = old.org_id and session_id = old.id and archived = old.archived
      and ((kind = 'tag' and value = any (old.tags)) or (kind = 'repository' and value = any (old.repo_names)));
  end if;
  if tg_op <> 'DELETE' then
    insert into session_labels
      select new.org_id, l.kind, l.value, new.archived, new.id
      from (select 'tag' as kind, unnest(new.tags) as value union select 'repository', unnest(new.repo_names)) l
      where l.kind = 'tag' or position(':' in l.value) = 0;
  end if;
  return null;
end $$;
create trigger sessions_labeled after insert on sessions
  for each row when (new.tags <> '{}' or new.repo_names <> '{}') execute function label_session();
create trigger sessions_relabeled after update of tags, repo_names, archived on sessions
  for each row when (old.tags is distinct from new.tags or old.repo_names is distinct from new.repo_names
    or old.archived is distinct from new.archived) execute function label_session();
create trigger sessions_unlabeled after delete on sessions
  for each row when (old.tags <> '{}' or old.repo_names <> '{}') execute function label_session();

insert into session_labels
  select s.org_id, l.kind, l.value, s.archived, s.id
  from sessions s, lateral (select 'tag' as kind, unnest(s.tags) as value union select 'repository', unnest(s.repo_names)) l
  where l.kind = 'tag' or position(':' in l.value) = 0;

drop index sessions_tags;
drop index sessions_repos;
