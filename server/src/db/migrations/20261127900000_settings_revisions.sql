-- Who changed settings last, and how often they changed. A reset keeps the row, so that a revision never comes again.
alter table settings
  add column revision integer not null default 1,
  add column updated_by_type text check (updated_by_type in ('user', 'service_user', 'app', 'session', 'system')),
  add column updated_by_id text;
