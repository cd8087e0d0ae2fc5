-- Marks of what all processes share, which each of them compares at its start.
create table shared_storage (
  setting text primary key,
  mark text not null
);
