-- A session's outline: what users said, and what failed, without the other events of these kinds.
create index session_events_said on session_events (session_id, seq)
  where kind = 'message' and data ->> 'role' = 'user';
create index session_events_failed on session_events (session_id, seq)
  where (kind = 'tool_result' and data ->> 'ok' = 'false') or (kind = 'command' and data ->> 'exit_code' <> '0');
