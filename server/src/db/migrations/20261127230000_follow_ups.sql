-- A follow-up that a session scheduled is a run that waits for its time; its `trigger_id` is the session.
alter table automation_runs drop constraint automation_runs_status_check;
alter table automation_runs add constraint automation_runs_status_check check (status in
  ('pending', 'running', 'retrying', 'succeeded', 'failed', 'timed_out', 'canceled', 'skipped', 'scheduled'));
-- A session has one follow-up at a time.
create unique index automation_runs_scheduled on automation_runs (automation_id, trigger_id)
  where status = 'scheduled' and trigger_id <> '';

create or replace function automation_run_may_become(old_status text, new_status text) returns boolean language sql immutable
  return case old_status
    when 'scheduled' then new_status in ('canceled', 'pending', 'skipped')
    when 'pending' then new_status in ('canceled', 'failed', 'retrying', 'running', 'succeeded')
    when 'running' then new_status in ('canceled', 'failed', 'retrying', 'succeeded', 'timed_out')
    when 'retrying' then new_status in ('canceled', 'pending', 'succeeded')
    when 'failed' then new_status = 'pending'
    when 'timed_out' then new_status in ('pending', 'succeeded')
    when 'canceled' then new_status = 'pending'
    else false end;
