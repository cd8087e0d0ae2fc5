-- What sessions spent per day (UTC): of an organization, and of each repository that a session works on. Sums of the ledger of
-- model calls, kept in its transactions, so that a decision on a limit need not read the ledger. Rows are added, so that no call
-- waits for another one's transaction; a task sums them to one row per day.
create table spent_days (
  org_id text not null references organizations (id) on delete cascade,
  -- `*` for the whole organization, '' for sessions without a repository.
  repository_id text not null,
  day date not null,
  cost_usd numeric(20, 6) not null,
  -- False for a row that is not summed yet.
  summed boolean not null default false
);
create index on spent_days (org_id, repository_id, day) include (cost_usd);
create index on spent_days (org_id) where not summed;

create function count_spent() returns trigger language plpgsql as $$
begin
  insert into spent_days (org_id, repository_id, day, cost_usd)
  select a.org_id, r.repository_id, (a.created_at at time zone 'UTC')::date, sum(a.cost_usd)
  from added a cross join lateral (
    select '*' as repository_id
    union
    select g.repository_id from guardrail_sessions g where g.session_id = a.session_id
  ) r
  where a.cost_usd > 0
  group by 1, 2, 3;
  return null;
end $$;
create trigger usage_records_spent after insert on usage_records referencing new table as added
  for each statement execute function count_spent();

insert into spent_days
select u.org_id, r.repository_id, (u.created_at at time zone 'UTC')::date, sum(u.cost_usd), true
from usage_records u cross join lateral (
  select '*' as repository_id
  union
  select g.repository_id from guardrail_sessions g where g.session_id = u.session_id
) r
where u.cost_usd > 0
group by 1, 2, 3;

-- A model call that is permitted under a limit and not settled yet: the most that it can use. It ends in the transaction that
-- adds the call to the ledger. If its process is lost, the whole of it is added.
create table reserved_calls (
  -- The id of the call in the ledger.
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  session_id text not null,
  -- The run that makes the call.
  fence bigint not null,
  principal_type text not null,
  principal_id text not null,
  origin text not null,
  repository text not null,
  model text not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_usd double precision not null,
  created_at timestamptz not null default now()
);
create index on reserved_calls (org_id);
create index on reserved_calls (created_at);
-- Until now nobody released what lost calls had reserved.
update sessions set reserved_tokens = 0, reserved_cost_usd = 0 where reserved_tokens <> 0 or reserved_cost_usd <> 0;

-- `reserved`: the process that made the call was lost, so the most that it can have used counts.
alter table usage_records drop constraint usage_records_price_source_check;
alter table usage_records add constraint usage_records_price_source_check
  check (price_source in ('organization', 'operator', 'published', 'none', 'opening', 'reserved'));
