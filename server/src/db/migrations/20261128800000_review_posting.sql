-- Reviews are posted on every git host after they are stored, by a job that may run any number of times.
alter table reviews
  -- 'pending': the host does not yet say what is stored here; 'not_offered': it takes no reviews.
  add column posting text not null default '' check (posting in ('', 'pending', 'posted', 'not_offered', 'failed')),
  -- Why it was not posted, or not yet.
  add column posting_problem text not null default '',
  -- Counts the changes to post: a job that began before the last one does not end the posting.
  add column posting_changes integer not null default 0,
  -- Until then a job posts on the change request, and no other does.
  add column posting_until timestamptz;
update reviews set posting = 'posted' where comment_id <> '';

alter table review_findings
  -- 'intended' is stored before its comment is sent; the host did not take a 'refused' one.
  add column posting text not null default '' check (posting in ('', 'intended', 'posted', 'refused')),
  -- True once the platform resolved its thread, or knew it to be resolved.
  add column thread_resolved boolean not null default false,
  -- The last comment of its thread that was read for a decision.
  add column heard_comment_id text not null default '';
update review_findings f set posting = 'posted',
  thread_resolved = exists (select from change_request_comments c where c.id = f.comment_id and c.resolved)
  where comment_id <> '';
