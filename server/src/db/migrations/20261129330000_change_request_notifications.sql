-- People are told what becomes of change requests that sessions follow.
alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check check (kind in (
  'session.needs_you', 'session.finished', 'session.failed',
  'change_request.needs_you', 'change_request.ready', 'change_request.ended',
  'webhook.disabled', 'webhook.delivery_failed'));
