import { named, type Database } from '../../../db/pool.ts';

interface Place {
  orgId: string;
  sessionId: string;
  lastSeq: number;
}

/** Of each kind the newest events are read. */
const mostEvents = 20_000;

const ofKind = (kind: string): string =>
  `(select seq, turn, data, created_at from session_events
    where session_id = $1 and org_id = $2 and seq <= $3 and kind = '${kind}' order by seq desc limit ${mostEvents}) events`;

function rowsOf<Row extends object>(db: Database, name: string, text: string, place: Place) {
  const values = [place.sessionId, place.orgId, place.lastSeq];
  return named<Row & Record<string, unknown>>(db, `insight_${name}`, text, values);
}

/** Returns the seconds in each status; the last one lasts until now. */
export async function readTimes(db: Database, place: Place) {
  return rowsOf<{ status: string; seconds: number }>(
    db,
    'times',
    `select status, sum(extract(epoch from until - created_at))::float8 as seconds from (
       select data ->> 'status' as status, created_at, coalesce(lead(created_at) over (order by seq), now()) as until
       from ${ofKind('status')}) spans group by status`,
    place,
  );
}

export async function readMessages(db: Database, place: Place) {
  return rowsOf<{ role: string; count: number }>(
    db,
    'messages',
    `select data ->> 'role' as role, count(distinct data ->> 'message_id') as count from ${ofKind('message')} group by 1`,
    place,
  );
}

/** Returns how often each phase began and failed, and the seconds from each start to the next event of the phase. */
export async function readPhaseRuns(db: Database, place: Place) {
  return rowsOf<{ name: string; runs: number; failed: number; seconds: number; last_failed: number | null }>(
    db,
    'phases',
    `select name, count(*) filter (where status = 'running') as runs, count(*) filter (where status = 'failed') as failed,
       coalesce(sum(extract(epoch from until - created_at)) filter (where status = 'running'), 0)::float8 as seconds,
       max(seq) filter (where status = 'failed') as last_failed
     from (select seq, data ->> 'name' as name, data ->> 'status' as status, created_at,
       coalesce(lead(created_at) over (partition by data ->> 'name' order by seq), now()) as until
       from ${ofKind('phase')}) runs group by name`,
    place,
  );
}

export async function readTools(db: Database, place: Place) {
  return rowsOf<{ name: string; calls: number; failed: number }>(
    db,
    'tools',
    `select calls.name, count(*) as calls, count(*) filter (where results.ok = 'false') as failed
     from (select data ->> 'call_id' as id, left(data ->> 'name', 200) as name from ${ofKind('tool_call')}) calls
     left join (select distinct on (1) data ->> 'call_id' as id, data ->> 'ok' as ok from ${ofKind('tool_result')}) results using (id)
     group by 1 order by 2 desc, 1 limit 50`,
    place,
  );
}

export interface CommandRow {
  command: string;
  failures: number;
  longest: number;
  exit_code: number | null;
  longest_seq: number;
  last_failed: number | null;
  /** Rank by the longest run, from 1. */
  slow: number;
  /** Totals of all commands. */
  all_runs: number;
  all_failures: number;
  all_seconds: number;
}

/** Returns the ended commands, by text, that took longest or failed most often; each row has the totals of all. */
export async function readCommands(db: Database, place: Place) {
  return rowsOf<CommandRow>(
    db,
    'commands',
    `select * from (
       select command, failures, longest, exit_code, longest_seq, last_failed,
         row_number() over (order by longest desc, longest_seq) as slow,
         row_number() over (order by failures desc, last_failed desc nulls last) as failing,
         (sum(runs) over ())::int8 as all_runs, (sum(failures) over ())::int8 as all_failures,
         sum(seconds) over () as all_seconds
       from (
         select command, count(*) as runs, count(*) filter (where exit_code <> 0) as failures,
           sum(ms)::float8 / 1000 as seconds, max(ms)::float8 / 1000 as longest,
           (array_agg(exit_code order by ms desc, seq desc))[1] as exit_code,
           (array_agg(seq order by ms desc, seq desc))[1] as longest_seq, max(seq) filter (where exit_code <> 0) as last_failed
         from (select seq, left(data ->> 'command', 500) as command, (data ->> 'exit_code')::int as exit_code,
           coalesce((data ->> 'duration_ms')::float8, 0) as ms
           from ${ofKind('command')} where data ->> 'exit_code' is not null) ended group by command) texts) ranked
     where slow <= 5 or failing <= 10 order by slow`,
    place,
  );
}

export async function readChangedFiles(db: Database, place: Place) {
  return rowsOf<{ path: string; changes: number }>(
    db,
    'files',
    `select data ->> 'path' as path, count(*) as changes from ${ofKind('file_change')} group by 1 order by 2 desc, 1 limit 20`,
    place,
  );
}

export async function readWarnings(db: Database, place: Place) {
  return rowsOf<{ code: string; count: number; message: string; last_seq: number }>(
    db,
    'warnings',
    `select data ->> 'code' as code, count(*) as count, left((array_agg(data ->> 'message' order by seq desc))[1], 500) as message,
       max(seq) as last_seq from ${ofKind('warning')} group by 1 order by 2 desc, 1 limit 50`,
    place,
  );
}

/** Returns true if some kind has more events than are read. */
export async function hasMoreEvents(db: Database, place: Place): Promise<boolean> {
  const kinds = `unnest(array['status', 'message', 'phase', 'tool_call', 'tool_result', 'command', 'file_change', 'warning']) as wanted (one)`;
  const rows = await rowsOf<{ more: boolean }>(
    db,
    'more',
    `select exists (select from ${kinds} cross join lateral (select from session_events
       where session_id = $1 and org_id = $2 and seq <= $3 and kind = wanted.one offset ${mostEvents} limit 1) more) as more`,
    place,
  );
  return rows[0]?.more ?? false;
}
