-- The share of an organization: of places, and of turns where there are fewer places than organizations that wait. Turns
-- are start-time fair queueing: a session's start moves the organization's finish tag on by 1 / weight.
alter table organization_turns
  add column weight smallint not null default 1 check (weight between 1 and 100),
  add column start_tag double precision not null default 0,
  add column finish_tag double precision not null default 0;

-- The one served last has the virtual time.
create index organization_turns_served on organization_turns (served_at desc);
