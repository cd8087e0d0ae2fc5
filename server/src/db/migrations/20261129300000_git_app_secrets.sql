-- The secret of an App's webhook can be rotated. GitHub gets `next` first, which is valid from then on, and replaces the current one
-- once GitHub confirmed it; the one before is valid for a while.
alter table git_apps
  add column sealed_next_webhook_secret bytea,
  add column sealed_previous_webhook_secret bytea,
  add column previous_webhook_secret_until timestamptz,
  -- Until when one request has the rotation to itself; null for none.
  add column rotating_until timestamptz,
  add column webhook_secret_rotated_at timestamptz;
