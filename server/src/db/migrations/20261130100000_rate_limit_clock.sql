-- A clock that is set back takes no tokens: before, all callers were refused until it had made up for the difference.
create or replace function take_rate_tokens(key text, per_second double precision, burst double precision,
  want double precision, out granted double precision, out remaining double precision) language plpgsql as $$
declare
  available double precision;
begin
  insert into rate_limits as r (key_id, tokens, refilled_at) values (key, burst, clock_timestamp())
    on conflict (key_id) do update
      set tokens = least(burst,
            r.tokens + greatest(0, extract(epoch from clock_timestamp() - r.refilled_at)) * per_second),
          refilled_at = clock_timestamp()
    returning tokens into available;
  granted := case when available > 0 then want else 0 end;
  remaining := available - granted;
  update rate_limits set tokens = remaining where key_id = key;
end $$;
