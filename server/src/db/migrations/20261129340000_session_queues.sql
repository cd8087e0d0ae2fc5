-- The queues of sessions get the name that the documentation has.
alter table waiting_lines rename to session_queues;
alter index waiting_lines_pkey rename to session_queues_pkey;
alter index waiting_lines_org_id_idx rename to session_queues_org_id_idx;
alter index waiting_lines_wake_at_idx rename to session_queues_wake_at_idx;
alter table session_queues rename constraint waiting_lines_org_id_fkey to session_queues_org_id_fkey;

drop function wake_line(text);
create function wake_queue(queue text) returns void language plpgsql as $$
begin
  update session_queues set wake_at = '-infinity' where id = queue and wake_at > '-infinity';
  if found then
    perform pg_notify('guildhall_dispatch', queue);
  end if;
end $$;

do $$
declare
  caller regprocedure;
begin
  for caller in
    select oid::regprocedure from pg_proc where pronamespace = current_schema()::regnamespace and prosrc like '%wake_line(%'
  loop
    execute replace(replace(pg_get_functiondef(caller), 'wake_line(', 'wake_queue('), 'waiting_lines', 'session_queues');
  end loop;
end $$;
