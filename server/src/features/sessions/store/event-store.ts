import { named, type Database } from '../../../db/pool.ts';
import { shownSandboxState } from './session-store.ts';

/** An event as JSON text: `data` is sent as stored, without parsing. */
export interface EventText {
  seq: number;
  kind: string;
  json: string;
}

export interface EventRow {
  seq: number;
  id: string;
  kind: string;
  phase: string;
  turn: number;
  attempt_no: number;
  data: string;
  created_at: Date;
}

/** Returns up to `limit` events after `afterSeq`, in order. */
export async function readEventsAfter(
  db: Database,
  orgId: string,
  sessionId: string,
  afterSeq: number,
  limit: number,
): Promise<EventText[]> {
  const rows = await named<EventRow>(
    db,
    'events_after',
    `select seq, id, kind, phase, turn, attempt_no, data::text as data, created_at from session_events
     where session_id = $2 and seq > $3 and org_id = $1 order by seq limit $4`,
    [orgId, sessionId, afterSeq, limit],
  );
  return rows.map((row) => ({ seq: row.seq, kind: row.kind, json: jsonOf(sessionId, row) }));
}

/** Formats an event, and the first of those that it was merged from. `id`, `kind` and `phase` never need escaping. */
export function jsonOf(sessionId: string, row: EventRow, merged?: { seq_from: number; started_at: Date }): string {
  const { seq, id, kind, phase, turn, attempt_no, data, created_at } = row;
  const since =
    merged === undefined ? '' : `,"seq_from":${merged.seq_from},"started_at":"${merged.started_at.toISOString()}"`;
  return (
    `{"seq":${seq},"id":"${id}","session_id":"${sessionId}","kind":"${kind}","phase":"${phase}","turn":${turn},` +
    `"attempt_no":${attempt_no},"data":${data},"created_at":"${created_at.toISOString()}"${since}}`
  );
}

export interface StreamState {
  /** The first event that is kept; `last_seq + 1` for none. */
  first_seq: number;
  last_seq: number;
  status: string;
  status_detail: string;
  sandbox_state: string;
  turn: number;
  attempt_no: number;
}

/** Returns the facts about a session that a stream needs; undefined if it was deleted. */
export async function readStreamState(
  db: Database,
  orgId: string,
  sessionId: string,
): Promise<StreamState | undefined> {
  const rows = await named<StreamState>(
    db,
    'stream_state',
    `select coalesce((select seq from session_events where session_id = sessions.id order by seq limit 1), last_seq + 1)
       as first_seq, last_seq, status, status_detail, ${shownSandboxState}, turn, attempt_no
     from sessions where org_id = $1 and id = $2`,
    [orgId, sessionId],
  );
  return rows[0];
}

/** Returns the agent's last message in full; `''` for none. */
export async function readLastReply(db: Database, orgId: string, sessionId: string): Promise<string> {
  const rows = await named<{ text: string }>(
    db,
    'last_reply',
    `select string_agg(data ->> 'delta', '' order by seq) as text from session_events
     where session_id = $2 and org_id = $1 and kind = 'message' and data ->> 'message_id' = (
       select data ->> 'message_id' from session_events
       where session_id = $2 and org_id = $1 and kind = 'message' and data ->> 'role' = 'agent' order by seq desc limit 1)
     having count(*) > 0`,
    [orgId, sessionId],
  );
  return rows[0]?.text ?? '';
}
