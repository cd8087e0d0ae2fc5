-- The audit trail: entries, the chain that links them, and refusals that are still being counted -----------------------

-- Entries that no link names yet. The insert of an entry fills it, so one whose transaction commits late is never skipped.
create table audit_pending (
  position bigint generated always as identity primary key,
  entry_id text not null,
  org_id text not null
);
create index on audit_pending (org_id);

-- One link for each entry, in its organization's order. `hash` covers the whole entry, `seq` and `prev_hash`.
create table audit_chain (
  org_id text not null,
  seq bigint not null,
  entry_id text not null unique,
  prev_hash bytea not null,
  hash bytea not null,
  primary key (org_id, seq)
);

-- The last link of each chain: who removes links from the end is found out.
create table audit_heads (
  org_id text primary key,
  seq bigint not null,
  hash bytea not null
);

-- What one key was refused within one minute, counted until the minute is over; then it becomes an entry.
create table audit_refusals (
  key_id text not null,
  minute timestamptz not null,
  outcome text not null check (outcome in ('denied', 'error')),
  id text not null,
  org_id text not null,
  actor_type text not null,
  actor_id text not null,
  actor_display text not null,
  ip text not null,
  user_agent text not null,
  request_id text not null,
  -- Method and route of the first one.
  request text not null,
  count bigint not null,
  codes jsonb not null,
  created_at timestamptz not null,
  last_at timestamptz not null,
  primary key (key_id, minute, outcome)
);
create index on audit_refusals (org_id, id);
create index on audit_refusals (minute);

create function refusal_action(outcome text) returns text language sql immutable
  return case outcome when 'denied' then 'request.refuse' else 'request.fail' end;
create function refusal_changes(r audit_refusals) returns jsonb language sql stable
  return jsonb_build_object('count', r.count, 'codes', r.codes, 'request', r.request,
    'last_at', to_char(r.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));

-- The counts of two batches, code by code.
create function add_counts(one jsonb, other jsonb) returns jsonb language sql immutable
  return (select coalesce(jsonb_object_agg(code, n), '{}') from (
    select code, sum(n::bigint) as n
    from (select * from jsonb_each_text(one) union all select * from jsonb_each_text(other)) as both_of_them (code, n)
    group by code) as added);

-- What people read: entries with their links, and the refusals that are still counted.
create view audit_trail as
  select e.id, e.org_id, coalesce(c.seq, 0) as seq, e.action, e.actor_type, e.actor_id, e.actor_display, e.resource_type,
         e.resource_id, e.outcome, e.ip, e.user_agent, e.request_id, e.changes, e.created_at,
         coalesce(encode(c.prev_hash, 'hex'), '') as prev_hash, coalesce(encode(c.hash, 'hex'), '') as hash
  from audit_entries e left join audit_chain c on c.entry_id = e.id and c.org_id = e.org_id
  union all
  select r.id, r.org_id, 0::bigint, refusal_action(r.outcome), r.actor_type, r.actor_id, r.actor_display, 'key'::text,
         r.key_id, r.outcome, r.ip, r.user_agent, r.request_id, refusal_changes(r), r.created_at, ''::text, ''::text
  from audit_refusals r;

create index on audit_entries (org_id, action, id);
create index on audit_entries (org_id, actor_id, id);
create index on audit_entries (org_id, resource_id, id);
create index on audit_entries (org_id, id) where outcome <> 'success';
create index on audit_entries using brin (created_at);

create function await_link() returns trigger language plpgsql as $$
begin
  insert into audit_pending (entry_id, org_id) values (new.id, new.org_id);
  return null;
end $$;
create trigger audit_entries_await_link after insert on audit_entries for each row execute function await_link();
insert into audit_pending (entry_id, org_id) select id, org_id from audit_entries order by id;

-- The purge of deleted organizations -----------------------------------------------------------------------------------

alter table organizations add column deleted_at timestamptz;
create index on organizations (deleted_at) where deleted_at is not null;

-- The purge works as a role of its own. Where this user may not make roles, or another installation on the same server
-- owns the role, a setting of the transaction takes its place.
do $$
begin
  if not exists (select from pg_roles where rolname = 'guildhall_purge') then
    create role guildhall_purge nologin;
  end if;
exception
  when insufficient_privilege or duplicate_object or unique_violation then null;
end $$;
do $$
begin
  if not pg_has_role(current_user, 'guildhall_purge', 'member') then
    execute format('grant guildhall_purge to %I', current_user);
  end if;
  grant select, delete on audit_entries, audit_chain, audit_heads to guildhall_purge;
  grant select on organizations to guildhall_purge;
exception
  when others then raise notice 'no role for the purge: %', sqlerrm;
end $$;

create function has_purge_role() returns boolean language sql stable
  return exists (select from pg_roles where rolname = 'guildhall_purge'
                 and pg_has_role(session_user, oid, 'member') and has_table_privilege(oid, 'audit_entries', 'delete'));

-- Whether this statement is the purge of an organization that was deleted.
create function is_audit_purge(org text) returns boolean language sql stable
  return case when has_purge_role() then current_user = 'guildhall_purge'
              else coalesce(current_setting('guildhall.purge', true), '') = org end
    and not exists (select from organizations where id = org and state <> 'deleting');

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and is_audit_purge(old.org_id) then
    return old;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;
drop trigger audit_entries_append_only on audit_entries;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function refuse_audit_change();
create trigger audit_chain_append_only before update or delete on audit_chain
  for each row execute function refuse_audit_change();
create trigger audit_chain_no_truncate before truncate on audit_chain for each statement execute function refuse_change();

-- A head only moves on.
create trigger audit_heads_move_on before update on audit_heads
  for each row when (new.seq <= old.seq or new.org_id <> old.org_id) execute function refuse_audit_change();
create trigger audit_heads_stay before delete on audit_heads for each row execute function refuse_audit_change();
create trigger audit_heads_no_truncate before truncate on audit_heads for each statement execute function refuse_change();
