-- A page of the trail is found before its links are looked up: with the join inside, the whole trail was sorted for each page.
drop view audit_trail;
create view audit_trail as
  select e.id, e.org_id, e.action, e.actor_type, e.actor_id, e.actor_display, e.resource_type, e.resource_id, e.outcome, e.ip,
         e.user_agent, e.request_id, e.changes, e.created_at
  from audit_entries e
  union all
  select r.id, r.org_id, refusal_action(r.outcome), r.actor_type, r.actor_id, r.actor_display, 'key'::text, r.key_id,
         r.outcome, r.ip, r.user_agent, r.request_id, refusal_changes(r), r.created_at
  from audit_refusals r;
