-- Lists of a session's events by kind, and their number.
create index session_events_kinds on session_events (session_id, kind, seq);
