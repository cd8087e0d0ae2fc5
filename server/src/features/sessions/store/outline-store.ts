import { named, type Database } from '../../../db/pool.ts';
import { mostOfKind, type MarkedKind } from '../schemas/outline-schemas.ts';
import type { PhaseName, PhaseStatus } from '../schemas/session-schemas.ts';

const titleLength = 120;

/** The kinds whose events are all marks, with the SQL of their title. */
const marks: Record<Exclude<MarkedKind, 'message' | 'tool_result' | 'command'>, string> = {
  approval: `data ->> 'summary'`,
  budget: `data ->> 'limit'`,
  warning: `data ->> 'message'`,
  error: `data ->> 'message'`,
  branch_pushed: `data ->> 'branch'`,
  change_request: `concat(data ->> 'repo', '#', data ->> 'number')`,
  artifact: `data ->> 'name'`,
  child: `data ->> 'session_id'`,
  structured_output: `''`,
};

export interface MarkRow {
  seq: number;
  kind: MarkedKind;
  title: string;
}

/** An event about a message of a user. */
export interface SaidRow {
  seq: number;
  turn: number;
  message_id: string;
  /** Null in logs of earlier versions, which have one event for a message. */
  state: string | null;
  title: string;
  created_at: Date;
}

export interface PhaseRow {
  seq: number;
  turn: number;
  name: PhaseName;
  status: PhaseStatus;
  summary: string;
  created_at: Date;
}

const ofSession = 'session_id = $1 and org_id = $2 and seq <= $3';
const newest = 'order by seq desc limit $4';

interface Place {
  orgId: string;
  sessionId: string;
  /** The last event. */
  lastSeq: number;
}

/** Each returns the newest events, these first, and one more than are shown if there are more. */
function newestOf<Row extends object>(db: Database, name: string, text: string, place: Place, limit: number) {
  const { sessionId, orgId, lastSeq } = place;
  return named<Row & Record<string, unknown>>(db, name, text, [sessionId, orgId, lastSeq, limit + 1]);
}

/** A message has two events: it is queued, then delivered or withdrawn. */
export const mostSaid = 2 * mostOfKind;

export async function readSaid(db: Database, place: Place): Promise<SaidRow[]> {
  const text = `select seq, turn, data ->> 'message_id' as message_id, data ->> 'state' as state,
      left(data ->> 'delta', ${titleLength}) as title, created_at
    from session_events where ${ofSession} and kind = 'message' and data ->> 'role' = 'user' ${newest}`;
  return newestOf<SaidRow>(db, 'outline_said', text, place, mostSaid);
}

export async function readPhases(db: Database, place: Place): Promise<PhaseRow[]> {
  const text = `select seq, turn, data ->> 'name' as name, data ->> 'status' as status,
      left(data ->> 'summary', ${titleLength}) as summary, created_at
    from session_events where ${ofSession} and kind = 'phase' ${newest}`;
  return newestOf<PhaseRow>(db, 'outline_phases', text, place, mostOfKind);
}

/** Tool calls and commands that failed. */
export async function readFailed(db: Database, place: Place): Promise<MarkRow[]> {
  const text = `select seq, kind, left(data ->> case kind when 'command' then 'command' else 'output' end, ${titleLength}) as title
    from session_events where ${ofSession}
      and ((kind = 'tool_result' and data ->> 'ok' = 'false') or (kind = 'command' and data ->> 'exit_code' <> '0')) ${newest}`;
  return newestOf<MarkRow>(db, 'outline_failed', text, place, mostOfKind);
}

/** Returns marks, of each kind the newest. */
export async function readMarks(db: Database, place: Place): Promise<MarkRow[]> {
  const kinds = Object.keys(marks).map((kind) => `('${kind}')`);
  const titles = Object.entries(marks).map(([kind, title]) => `when '${kind}' then ${title}`);
  const text = `select seq, kind, coalesce(left(case kind ${titles.join(' ')} end, ${titleLength}), '') as title
    from (values ${kinds.join(', ')}) as wanted (one) cross join lateral (
      select seq, kind, data from session_events
      where ${ofSession} and kind = wanted.one and (kind <> 'approval' or data ->> 'state' = 'pending') ${newest}) events`;
  return newestOf<MarkRow>(db, 'outline_marks', text, place, mostOfKind);
}
