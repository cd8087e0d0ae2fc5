-- True for a secret that a session does not get: the session that it was forked from had it, so the work that it took over may
-- contain the value, which is masked.
alter table session_secrets add column masked_only boolean not null default false;
