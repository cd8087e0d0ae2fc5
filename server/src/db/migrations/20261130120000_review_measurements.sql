-- Sessions that reproduce or fix findings belong to reviews, but are none: metrics of reviews counted them.
create index on review_findings (fix_session_id) where fix_session_id <> '';
create or replace function session_account(of_session text)
  returns table (org_id text, principal_type text, principal_id text, origin text, repository text, automation_id text,
    tags text[], group_ids text[])
  language sql stable as $$
  with recursive parents (type, id, automation_id) as (
    select s.created_by_type, s.created_by_id, s.automation_id from sessions s where s.id = of_session
    union all
    select s.created_by_type, s.created_by_id, s.automation_id
    from parents join sessions s on parents.type = 'session' and s.id = parents.id
  ), known as (
    select s.org_id, coalesce(root.type, s.created_by_type) as principal_type, coalesce(root.id, s.created_by_id) as principal_id,
      case when s.origin = 'review' and (exists (select from reviews r where r.proof_session_id = s.id)
        or exists (select from review_findings f where f.fix_session_id = s.id)) then '' else s.origin end as origin,
      coalesce((s.repositories -> 0 ->> 'provider') || ':' || (s.repositories -> 0 ->> 'repo'), '') as repository,
      coalesce(nullif(s.automation_id, ''), root.automation_id, '') as automation_id, s.tags
    from sessions s left join parents root on root.type <> 'session'
    where s.id = of_session
  )
  select k.*, array(
      select g.group_id from group_members g
      where k.principal_type = 'user' and g.org_id = k.org_id and g.user_id = k.principal_id order by 1)
  from known k
  union all
  select m.org_id, m.principal_type, m.principal_id, m.origin, m.repository, m.automation_id, m.tags, m.group_ids
  from measurements m
  where m.id = 'session.created/' || of_session and not exists (select from sessions s where s.id = of_session)
$$;
