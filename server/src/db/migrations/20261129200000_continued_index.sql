-- Without a list of pending entries, which each search would read: sessions are listed far more often than continued.
drop index change_requests_continued;
create index change_requests_continued on change_requests using gin (continued_by)
  with (fastupdate = off) where continued_by <> '{}';
