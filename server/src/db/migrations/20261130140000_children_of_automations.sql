-- A child has the account of its parent, so only its parent tells which automation it works for.
create or replace function session_account(of_session text)
  returns table (org_id text, principal_type text, principal_id text, origin text, repository text, automation_id text,
    tags text[], group_ids text[])
  language sql stable as $$
  with recursive line (id, parent_id, automation_id) as (
    select s.id, s.parent_session_id, s.automation_id from sessions s where s.id = of_session
    union all
    select s.id, s.parent_session_id, s.automation_id from line join sessions s on line.automation_id = '' and s.id = line.parent_id
  ), known as (
    select s.org_id, s.created_by_type as principal_type, s.created_by_id as principal_id,
      case when s.origin = 'review' and (exists (select from reviews r where r.proof_session_id = s.id)
        or exists (select from review_findings f where f.fix_session_id = s.id)) then '' else s.origin end as origin,
      coalesce((s.repositories -> 0 ->> 'provider') || ':' || (s.repositories -> 0 ->> 'repo'), '') as repository,
      coalesce((select l.automation_id from line l where l.automation_id <> ''), '') as automation_id, s.tags
    from sessions s where s.id = of_session
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
