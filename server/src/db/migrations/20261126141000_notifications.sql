-- What a member chose for itself in an organization, by name.
create table preferences (
  org_id text not null,
  user_id text not null,
  name text not null,
  value jsonb not null,
  updated_at timestamptz not null,
  primary key (org_id, user_id, name),
  foreign key (org_id, user_id) references members (org_id, user_id) on delete cascade
);

-- Messages that are not sent yet, one for each receiver and resource: they are collected, and the newest replaces the one before.
create table notifications (
  id bigint generated always as identity primary key,
  org_id text not null references organizations (id) on delete cascade,
  channel text not null check (channel in ('user_email', 'user_slack', 'email', 'slack', 'url')),
  -- A user, an e-mail address or a URL; '' for the organization's Slack.
  target text not null,
  kind text not null check (kind in ('session.needs_you', 'session.finished', 'session.failed', 'webhook.disabled')),
  resource_id text not null,
  created_at timestamptz not null,
  unique (org_id, channel, target, resource_id)
);
create index on notifications (created_at);

-- When a receiver got its last message.
create table notification_receivers (
  org_id text not null references organizations (id) on delete cascade,
  channel text not null,
  target text not null,
  sent_at timestamptz not null,
  primary key (org_id, channel, target)
);
create index on notification_receivers (sent_at);
