-- The run of an automation that started a session. Of the earlier sessions, only those of newest attempts are known.
alter table sessions add column automation_run_id text not null default '';
create index sessions_automation_run on sessions (automation_run_id, id desc) where automation_run_id <> '';
update sessions s set automation_run_id = r.id
  from automation_runs r where r.session_id = s.id and r.org_id = s.org_id and r.session_id <> '';
