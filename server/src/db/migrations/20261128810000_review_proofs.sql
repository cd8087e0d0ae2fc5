-- A second session runs the commands that findings name, on the head and on the base of the change.
alter table reviews
  add column proof_session_id text not null default '';
create index reviews_proof_session on reviews (proof_session_id) where proof_session_id <> '';

alter table review_findings
  -- True if the platform ran a command that fails on the head for this reason, and not on the base.
  add column reproduced boolean not null default false,
  -- The command; '' for none.
  add column command text not null default '',
  drop constraint review_findings_severity_check,
  add constraint review_findings_severity_check
    check (severity in ('pre_existing', 'low', 'medium', 'high', 'critical'));
