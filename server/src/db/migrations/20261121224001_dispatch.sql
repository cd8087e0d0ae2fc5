alter table sessions
  -- The person a session counts for: who created it, or its root; '' for a machine's.
  add column person_id text not null default '',
  -- From being given to a worker until its turn ended, over any number of workers.
  add column dispatched boolean not null default false,
  -- Whether groups count what it was last dispatched for.
  add column in_groups boolean not null default false,
  -- The line it waits in; '' while any worker may take it.
  add column waits_for text not null default '';

update sessions set dispatched = true where status in ('provisioning', 'running');
with recursive roots (id, person) as (
  select id, created_by_id from sessions where created_by_type = 'user'
  union all
  select child.id, roots.person from sessions child join roots on child.parent_session_id = roots.id
  where child.created_by_type = 'session'
)
update sessions set person_id = roots.person from roots where roots.id = sessions.id;

drop index sessions_queued;
create index sessions_claimable on sessions (created_at) where status = 'queued' and waits_for = '';
create index sessions_waiting on sessions (waits_for, created_at) where status = 'queued' and waits_for <> '';
create index sessions_dispatched on sessions (org_id, person_id) where dispatched;
create index sessions_undispatched on sessions (org_id, person_id) where status = 'queued' and not dispatched;

-- On which days of which groups a session counts; open while it is dispatched.
create table group_dispatches (
  session_id text not null references sessions (id) on delete cascade,
  group_id text not null,
  day date not null,
  open boolean not null default true,
  reserved_seconds numeric not null default 0,
  dispatched_at timestamptz not null default clock_timestamp(),
  primary key (session_id, group_id, day),
  foreign key (group_id, day) references group_days (group_id, day) on delete cascade
);
create index on group_dispatches (group_id, day);

-- What a model call under way may use at most. One that outlives its session is counted as used until it is settled, also
-- when the session is deleted.
create table group_calls (
  id text not null,
  session_id text not null,
  group_id text not null,
  day date not null,
  tokens bigint not null,
  cost_usd numeric not null,
  counted boolean not null default false,
  primary key (id, group_id),
  foreign key (group_id, day) references group_days (group_id, day) on delete cascade
);
create index on group_calls (session_id);
create index on group_calls (group_id, day);

-- Whatever ends a session's turn gives back what was held for it, here, so that no way out can forget to.
create function leave_dispatch() returns trigger language plpgsql as $$
declare
  worked numeric := 0;
  held record;
  calls record;
begin
  if tg_op = 'UPDATE' then
    new.dispatched := false;
    worked := (new.sandbox_seconds - old.sandbox_seconds)::numeric;
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
      if worked <= 0 then
        -- Nobody says how long it worked: until now, or until its worker was lost.
        worked := greatest(0, extract(epoch from
          least(clock_timestamp(), coalesce(old.lease_until, clock_timestamp())) - held.dispatched_at));
      end if;
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
create trigger sessions_left before update of status on sessions for each row
  when (old.dispatched and new.status not in ('queued', 'provisioning', 'running')) execute function leave_dispatch();
create trigger sessions_deleted before delete on sessions for each row
  when (old.dispatched) execute function leave_dispatch();

-- Other limits of an organization: who waits for room is looked at again.
create function wake_organization() returns trigger language plpgsql as $$
declare
  org text := case when tg_op = 'DELETE' then old.org_id else new.org_id end;
begin
  perform wake_line(lines.id)
    from (select id from waiting_lines where org_id = org and (id = org or id like org || '/%') order by id) lines;
  return null;
end $$;
create trigger settings_wake after insert or update on settings for each row
  when (new.namespace = 'sessions') execute function wake_organization();
create trigger settings_reset_wake after delete on settings for each row
  when (old.namespace = 'sessions') execute function wake_organization();
create trigger members_wake after update of role on members for each row
  when (old.role is distinct from new.role) execute function wake_organization();
