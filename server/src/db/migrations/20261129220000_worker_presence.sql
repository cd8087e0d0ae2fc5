-- Workers that hold a lock on a connection of their own, so that the lock ends with their process. Unlogged: after a crash
-- of the server, and on a standby that replaces it, every lock is free and no worker is listed.
create unlogged table worker_presence (
  worker_id text primary key references workers on delete cascade,
  -- Of the connection that holds the lock.
  backend_pid integer not null,
  -- The locks of a server end with it.
  server_started_at timestamptz not null default pg_postmaster_start_time()
);

-- When its process was found to have ended. A heartbeat clears it, if the worker is there after all.
alter table workers add column gone_at timestamptz;
