-- A session's key works for one run alone: as long as the fencing token is the session's.
alter table api_keys add column fence bigint;

-- What a session gave its children of its own budget. It counts as used.
alter table sessions
  add column given_tokens bigint not null default 0,
  add column given_cost_usd double precision not null default 0;
