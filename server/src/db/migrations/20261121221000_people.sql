-- People sign in: passwords, sign-ins (a cookie each), identities of a provider, invites.

-- When it was shown that the address is the person's: by a mailed invite, an identity provider, or the operator's word.
alter table users add column email_verified_at timestamptz;

create table user_passwords (
  user_id text primary key references users (id) on delete cascade,
  hash text not null,
  changed_at timestamptz not null
);

-- One browser that a person signed in with. It ends by being deleted; the token in its cookie is stored as a hash only.
create table sign_ins (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  hash text not null unique,
  method text not null check (method in ('password', 'sso')),
  ip text not null,
  user_agent text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null
);
create index on sign_ins (user_id, id);
create index on sign_ins (expires_at);

-- Who an identity provider calls by a subject.
create table sso_identities (
  issuer text not null,
  subject text not null,
  user_id text not null references users (id) on delete cascade,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (issuer, subject)
);
create index on sso_identities (user_id);

-- Failed sign-ins that are still remembered, by account, by address and by both; a bucket's name is a hash.
create table sign_in_attempts (
  bucket text primary key,
  failures double precision not null,
  counted_at timestamptz not null,
  blocked_until timestamptz not null
);

-- Counts one attempt in every bucket as failed, or in none when any of them is blocked: then it answers until when.
-- Failures are forgotten at one in `forget_seconds`; those above `free` block the bucket for 1, 2, 4 … seconds, at most
-- `longest`. Rows are locked in the order of their names, so attempts at once count one after the other.
create function take_sign_in_attempt(names text[], free integer[], longest double precision[],
  forget_seconds double precision, at timestamptz) returns timestamptz language plpgsql as $$
declare
  blocked timestamptz;
begin
  -- A block that is known already is answered before anything is written: whoever is blocked cannot fill the table with
  -- rows for ever new addresses.
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

create table invites (
  id text primary key,
  org_id text not null references organizations (id) on delete cascade,
  email text not null,
  permission text not null check (permission in ('admin', 'member', 'viewer')),
  token_hash text not null unique,
  -- Sent to the address itself, so that whoever has the link has the mailbox.
  mailed boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz
);
create index on invites (org_id, id);
create index on invites (org_id, lower(email)) where accepted_at is null and revoked_at is null;

-- A credential is a key or a sign-in now. What is kept of one goes by age: answers after a day, buckets once they are
-- full again.
alter table rate_limits drop constraint rate_limits_key_id_fkey;
alter table idempotency_keys drop constraint idempotency_keys_key_id_fkey;
