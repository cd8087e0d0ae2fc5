-- The newest attempts of a delivery, oldest first: an array of `{at, status_code, problem, duration_ms}`.
alter table webhook_deliveries add column attempt_log jsonb not null default '[]';

-- When the administrators last got a notice of a delivery that failed for good.
alter table webhooks add column noticed_at timestamptz;
alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('session.needs_you', 'session.finished', 'session.failed', 'webhook.disabled', 'webhook.delivery_failed'));
