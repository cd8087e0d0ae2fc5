-- The sessions that continue a change request which another one, or a person, opened; the newest last.
alter table change_requests add column continued_by text[] not null default '{}';
create index change_requests_continued on change_requests using gin (continued_by);
