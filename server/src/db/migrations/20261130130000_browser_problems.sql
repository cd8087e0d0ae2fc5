-- Why a browser ended by itself: calls of its session say so.
alter table browser_sessions add column problem text not null default '';
