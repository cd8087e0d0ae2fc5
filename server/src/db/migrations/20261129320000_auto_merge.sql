-- The host merges a change request by itself only while the platform stands by the commit that it judged.
alter table change_requests
  -- The commit for which the platform lets the host merge by itself; '' for none.
  add column auto_merge_sha text not null default '',
  -- How often that was taken back.
  add column auto_merge_offs integer not null default 0;
