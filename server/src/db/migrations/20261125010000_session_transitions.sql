-- The changes of a session's status that `store/transitions.ts` has, for the trigger below; a test holds the two together.
create function session_may_become(old_status text, new_status text) returns boolean language sql immutable
  return case old_status
    when 'completed' then new_status in ('queued')
    when 'failed' then new_status in ('queued')
    when 'provisioning' then new_status in ('canceled', 'completed', 'failed', 'queued', 'running', 'suspended', 'waiting')
    when 'queued' then new_status in ('canceled', 'completed', 'failed', 'provisioning', 'running', 'suspended', 'waiting')
    when 'running' then new_status in ('canceled', 'completed', 'failed', 'queued', 'suspended', 'waiting')
    when 'suspended' then new_status in ('canceled', 'queued')
    when 'waiting' then new_status in ('canceled', 'running', 'suspended')
    else false end;

-- No writer goes around the table.
create function refuse_session_transition() returns trigger language plpgsql as $$
begin
  raise exception 'the session % is % and cannot become %', old.id, old.status, new.status
    using errcode = 'check_violation', constraint = 'sessions_transition',
      hint = 'Add the transition to store/transitions.ts and a migration that defines session_may_become anew.';
end $$;
create trigger sessions_transition before update of status on sessions for each row
  when (old.status <> new.status and not session_may_become(old.status, new.status))
  execute function refuse_session_transition();

-- What a worker gave back without a lost attempt has no lease from now on; before it had one of the past, and -1 losses.
update sessions set lease_owner = '', lease_until = null, losses = 0 where losses < 0;
