-- What an agent remembers, entry by entry: written in one statement with the events that tell of it.
create table session_records (
  session_id text not null references sessions (id) on delete cascade,
  position bigint not null,
  data json not null,
  primary key (session_id, position)
);
alter table sessions
  add column record_count bigint not null default 0,
  -- What model calls under way may use at most. A call that was lost with its worker stays reserved: nobody knows what it used.
  add column reserved_tokens bigint not null default 0,
  add column reserved_cost_usd double precision not null default 0;
