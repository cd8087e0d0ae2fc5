-- Since when a worker has worked on what it holds, and is not on the session's account yet: whoever takes the session over
-- adds what a lost worker did until it was last heard of.
alter table sessions add column working_since timestamptz;
-- Of its seconds, those that its groups have counted.
alter table sessions add column counted_seconds double precision not null default 0;
update sessions set counted_seconds = sandbox_seconds,
  working_since = case when dispatched and lease_owner <> '' then clock_timestamp() end;

create or replace function leave_dispatch() returns trigger language plpgsql as $$
declare
  worked double precision;
  held record;
  calls record;
begin
  worked := old.sandbox_seconds - old.counted_seconds + greatest(0, coalesce(extract(epoch from
    least(clock_timestamp(), old.lease_until) - old.working_since), 0));
  if tg_op = 'UPDATE' then
    new.dispatched := false;
    -- Whoever ends the turn says how long it worked, unless nobody knows: then it worked until now, or until its worker was lost.
    if new.working_since is null then
      worked := new.sandbox_seconds - old.counted_seconds;
    else
      new.sandbox_seconds := old.counted_seconds + worked;
      new.working_since := null;
    end if;
    new.counted_seconds := new.sandbox_seconds;
  end if;
  -- One after the other with whoever is being admitted.
  perform 1 from settings where org_id = old.org_id and namespace = 'sessions'
    and (coalesce((value ->> 'max_concurrent')::int, 0) > 0 or coalesce((value ->> 'max_concurrent_regular')::int, 0) > 0)
    for update;
  if found then
    perform wake_line(old.org_id);
    perform wake_line(old.org_id || '/' || old.person_id);
  end if;
  if old.in_groups then
    for held in select * from group_dispatches where session_id = old.id and open order by group_id, day loop
      perform 1 from group_days where group_id = held.group_id and day = held.day for update;
      with mine as (
        update group_calls set counted = true
        where session_id = old.id and group_id = held.group_id and day = held.day and not counted returning tokens, cost_usd
      )
      select coalesce(sum(tokens), 0)::bigint as tokens, coalesce(sum(cost_usd), 0) as cost_usd into calls from mine;
      update group_days set sessions = sessions + 1, reserved_sessions = reserved_sessions - 1,
        sandbox_seconds = sandbox_seconds + worked, reserved_sandbox_seconds = reserved_sandbox_seconds - held.reserved_seconds,
        tokens = tokens + calls.tokens, reserved_tokens = reserved_tokens - calls.tokens,
        cost_usd = cost_usd + calls.cost_usd, reserved_cost_usd = reserved_cost_usd - calls.cost_usd
        where group_id = held.group_id and day = held.day;
      update group_dispatches set open = false, reserved_seconds = 0
        where session_id = old.id and group_id = held.group_id and day = held.day;
      if held.reserved_seconds > worked then
        perform wake_line(held.group_id);
      end if;
    end loop;
  end if;
  return case when tg_op = 'UPDATE' then new else old end;
end $$;
