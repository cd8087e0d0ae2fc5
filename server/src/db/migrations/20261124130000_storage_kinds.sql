-- What an organization keeps of each kind, which is the first segment of a key. Making the trigger waits for whoever writes
-- `stored_bytes` and keeps others waiting, so that the sums begin exact.
create table organization_storage_kinds (
  org_id text not null references organizations (id) on delete cascade,
  kind text not null,
  used_bytes bigint not null,
  primary key (org_id, kind)
);

create function sum_stored_kinds() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into organization_storage_kinds (org_id, kind, used_bytes)
      values (new.org_id, split_part(new.key, '/', 1), new.size_bytes)
      on conflict (org_id, kind) do update
        set used_bytes = organization_storage_kinds.used_bytes + excluded.used_bytes;
  else
    -- Of an organization that is being removed there may be no row any more.
    update organization_storage_kinds
      set used_bytes = used_bytes + coalesce(new.size_bytes, 0) - old.size_bytes
      where org_id = old.org_id and kind = split_part(old.key, '/', 1);
  end if;
  return null;
end $$;
create trigger sum_kinds after insert or update of size_bytes or delete on stored_bytes
  for each row execute function sum_stored_kinds();

insert into organization_storage_kinds (org_id, kind, used_bytes)
  select org_id, split_part(key, '/', 1), sum(size_bytes) from stored_bytes group by 1, 2;
