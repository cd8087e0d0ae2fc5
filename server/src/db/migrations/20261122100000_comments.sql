-- What a comment stands beside, what it answers, and whether it is settled.

alter table change_request_comments
  add column side text not null default 'new' check (side in ('old', 'new')),
  add column start_line integer,
  add column in_reply_to text not null default '',
  add column resolved boolean not null default false;
