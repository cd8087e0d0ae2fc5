-- The secret of an automation's webhook is derived from the hook's id and this number; a rotation increases it.
alter table automations
  add column hook_secret_no integer not null default 0,
  -- Until then the secret before is valid, too.
  add column hook_previous_until timestamptz;
