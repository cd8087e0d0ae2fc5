-- Who wrote last what a secret holds, and what it is for, as it is kept of all that reaches sandboxes of others. Members may
-- write secrets, so that one is there already vouches for nothing. Who created it answers for it where nobody else is on
-- record as having changed it: as an administrator who is one now. What others had a hand in is nobody's.
alter table secrets add column value_written_by text not null default '';
alter table secrets add column traits_written_by text not null default '';
update secrets s set value_written_by = known.writer, traits_written_by = known.writer
from (
  select c.id, case when m.permission = 'admin' then 'administrator' else c.created_by_type || ':' || c.created_by_id end
    as writer
  from secrets c
  left join members m on c.created_by_type = 'user' and m.org_id = c.org_id and m.user_id = c.created_by_id
  where not exists (
    select 1 from audit_entries a
    where a.org_id = c.org_id and a.resource_type = 'secret' and a.resource_id = c.id and a.outcome = 'success'
      and a.action in ('secret.set_value', 'secret.update')
      and (a.actor_type, a.actor_id) <> (c.created_by_type, c.created_by_id)
  )
) known
where known.id = s.id;

-- In which of a session's sandboxes a version was: the agent's, those of checks, or all.
alter table secret_uses add column sandboxes text not null default 'all' check (sandboxes in ('all', 'agent', 'checks'));
update secret_uses set sandboxes = 'agent' where scope = 'user';
