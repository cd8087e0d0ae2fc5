-- A block that is known already is answered before anything is written: whoever is blocked cannot fill the table with rows for
-- ever new addresses. Else as before.
create or replace function take_sign_in_attempt(names text[], free integer[], longest double precision[],
  forget_seconds double precision, at timestamptz) returns timestamptz language plpgsql as $$
declare
  blocked timestamptz;
begin
  select max(blocked_until) into blocked from sign_in_attempts where bucket = any (names) and blocked_until > at;
  if blocked is not null then
    return blocked;
  end if;
  insert into sign_in_attempts (bucket, failures, counted_at, blocked_until)
    select name, 0, at, '-infinity' from unnest(names) name order by name on conflict do nothing;
  perform 1 from sign_in_attempts where bucket = any (names) order by bucket for update;
  select max(blocked_until) into blocked from sign_in_attempts where bucket = any (names) and blocked_until > at;
  if blocked is not null then
    return blocked;
  end if;
  update sign_in_attempts a
    set failures = n.failures,
        counted_at = greatest(at, a.counted_at),
        blocked_until = case when ceil(n.failures) < n.free then '-infinity'
          else at + make_interval(secs => least(n.longest, power(2, least(30, ceil(n.failures) - n.free)))) end
    from (
      select b.bucket, l.free, l.longest,
             greatest(0, b.failures - greatest(0, extract(epoch from at - b.counted_at)) / forget_seconds) + 1 as failures
      from sign_in_attempts b
      join unnest(names, free, longest) as l (name, free, longest) on l.name = b.bucket
    ) n
    where a.bucket = n.bucket;
  return null;
end $$;
