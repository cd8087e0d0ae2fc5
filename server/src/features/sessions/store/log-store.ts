import { CompiledQuery, sql, type Insertable, type Kysely, type Transaction, type UpdateObject } from 'kysely';
import { rowsOf, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import { activityOf } from './activity.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { newsColumns, tellStreams } from './event-news.ts';

/** The condition for a last change less than a second ago. */
const isFresh = `updated_at between clock_timestamp() - interval '1 second' and clock_timestamp()`;

/**
 * A worker's events change the time of the last change once a second: it is indexed, so that a change of it writes to
 * every index of the table.
 */
const appendedAt = `updated_at = case when $2::bigint is not null and $8::text is null and ${isFresh}
      then updated_at else clock_timestamp() end`;

/** The time of the last change after a worker's, for the same reason. */
export const touched = sql<Date>`case when ${sql.raw(isFresh)} then updated_at else clock_timestamp() end`;

/** The CTE that appends events to the log of the session `bumped`; their {@link columnsOf} are the parameters from `first` on. */
function appendedCte(id: string, first: number): string {
  const [ids, kinds, phases, data] = [0, 1, 2, 3].map((offset) => `$${first + offset}::text[]`);
  return `appended as (
    insert into session_events (session_id, seq, id, org_id, kind, phase, turn, attempt_no, data)
    select ${id}, bumped.last_seq - cardinality(${ids}) + e.position, e.id, bumped.org_id, e.kind, e.phase,
           bumped.turn, bumped.attempt_no, e.data::json
    from bumped, unnest(${ids}, ${kinds}, ${phases}, ${data}) with ordinality as e (id, kind, phase, data, position)
    returning ${newsColumns}
  )`;
}

/** Returns the ids, kinds, phases and data of events. `mark`: the id of the first. */
function columnsOf(events: readonly NewEvent[], mark?: string): string[][] {
  return [
    events.map((_, index) => (index === 0 ? mark : undefined) ?? newId('evt')),
    events.map(({ kind }) => kind),
    events.map(({ phase }) => phase ?? ''),
    events.map(({ data }) => JSON.stringify(data)),
  ];
}

/**
 * Changes in the same statement as the log; null keeps the value. `more`: further changes. One that sets the status, even
 * to what it is, runs triggers.
 */
const appendCtes = (more: string): string => `
  bumped as (
    update sessions set last_seq = last_seq + cardinality($3::text[]), record_count = record_count + cardinality($7::text[]),
      losses = case when $12::boolean then 0 else losses end, status_detail = coalesce($9, status_detail),
      sandbox_state = coalesce($10, sandbox_state), phases = coalesce($11::jsonb, phases),
      activity = coalesce($13, activity), activity_at = case when $13::text is null then activity_at else clock_timestamp() end,
      ${more} ${appendedAt}
    where id = $1 and ($2::bigint is null or fence = $2)
    returning last_seq, record_count, org_id, attempt_no, turn
  ), recorded as (
    insert into session_records (session_id, position, data)
    select $1, bumped.record_count - cardinality($7::text[]) + r.position, r.data::json
    from bumped, unnest($7::text[]) with ordinality as r (data, position)
  ), ${appendedCte('$1', 3)}`;
const appended = `select last_seq,
    ${tellStreams('$1')},
    case when $13::text is not null then pg_notify('guildhall_activity', org_id || ' ' || $1::text) end
  from bumped`;
const appendStatement = `with ${appendCtes('')} ${appended}`;

/**
 * The same with a status change of a session that works, which is published. Separate, because most appends only add
 * events and should stay cheap.
 */
const appendStatusStatement = `
  with before as (
    select status, status_detail from sessions where id = $1
  ), ${appendCtes('status = $8,')}, published as (
    insert into outbox_pending (org_id, type, resource_type, resource_id, actor_type, actor_id, data)
    select bumped.org_id, 'session.status_changed', 'session', $1, 'session', $1,
      jsonb_build_object('status', $8::text, 'status_detail', $9::text, 'previous_status', before.status,
        'attention', '')
    from bumped, before where (before.status, before.status_detail) is distinct from ($8::text, $9::text)
  ) ${appended}`;

/** Changes together with the log. */
export interface AppendedWith {
  records?: readonly object[] | undefined;
  /** The id of the first event, for {@link hasEvent}. */
  mark?: string;
  /** True for progress: earlier lost attempts no longer count against the session. */
  progress?: boolean | undefined;
  shown?: { status?: string; status_detail?: string; sandbox_state?: string; phases?: readonly object[] } | undefined;
}

/**
 * Appends events with the next sequence numbers, and notifies the streams once. With a fencing token, returns false if
 * it is no longer current. In a transaction the events appear with its commit.
 */
export async function appendEvents(
  db: Database | Transaction<DB>,
  id: string,
  fence: number | null,
  events: readonly NewEvent[],
  { records = [], mark, progress = false, shown = {} }: AppendedWith = {},
): Promise<boolean> {
  const values = [
    id,
    fence,
    ...columnsOf(events, mark),
    records.map((record) => JSON.stringify(record)),
    shown.status ?? null,
    shown.status_detail ?? null,
    shown.sandbox_state ?? null,
    shown.phases === undefined ? null : JSON.stringify(shown.phases),
    progress,
    activityOf(events) ?? null,
  ];
  const rows =
    shown.status === undefined
      ? await rowsOf(db, 'events_append', appendStatement, values)
      : await rowsOf(db, 'events_append_status', appendStatusStatement, values);
  return rows.length === 1;
}

/** Facts together with a change of a session. */
export interface ChangedWith {
  /** The fencing token of its run. */
  fence?: number;
  /** The id of the first event, for {@link hasEvent}. */
  mark?: string | undefined;
  /** The domain event of the change. */
  published?: Insertable<DB['outbox_pending']> | undefined;
  /** A message that the session gets. */
  message?: Insertable<DB['session_messages']> | undefined;
  /** True to notify the worker of the session to check it. */
  tellsWorker?: boolean | undefined;
  /** True to notify all workers that a session waits for one. */
  wakesWorkers?: boolean | undefined;
}

/**
 * Changes a session and appends events to its log, in one statement, which leaves its activity as it is. Returns the number
 * of its last event; undefined if the session does not exist, or if a fencing token is no longer current.
 */
export async function changeAndAppend(
  db: Kysely<DB>,
  id: string,
  change: UpdateObject<DB, 'sessions'>,
  events: readonly NewEvent[],
  { fence, mark, published, message, tellsWorker = false, wakesWorkers = false }: ChangedWith = {},
): Promise<number | undefined> {
  const bumped = db
    .updateTable('sessions')
    .set({ ...change, last_seq: sql<number>`last_seq + ${events.length}` })
    .where('id', '=', id)
    .$if(fence !== undefined, (query) => query.where('fence', '=', fence ?? 0))
    .returning(['last_seq', 'org_id', 'attempt_no', 'turn']);
  const inserts = [
    ...(published === undefined ? [] : [sql`published as (${db.insertInto('outbox_pending').values(published)}),`]),
    ...(message === undefined ? [] : [sql`sent as (${db.insertInto('session_messages').values(message)}),`]),
  ];
  const { sql: text, parameters } = sql`with ${sql.join(inserts, sql` `)} bumped as (${bumped}),`.compile(db);
  const own = `$${parameters.length + 1}`;
  const log = appendedCte(own, parameters.length + 2);
  const told = tellsWorker ? `, pg_notify('guildhall_control', ${own})` : '';
  const woken = wakesWorkers ? `, pg_notify('guildhall_dispatch', '')` : '';
  const values = [...parameters, id, ...columnsOf(events, mark)];
  const statement = CompiledQuery.raw(
    `${text} ${log} select last_seq, ${tellStreams(own)}${told}${woken} from bumped`,
    values,
  );
  return (await db.executeQuery<{ last_seq: number }>(statement)).rows[0]?.last_seq;
}

/** Returns true if an event is logged. Only for a write without a response, because it searches the session's log. */
export async function hasEvent(db: Database, sessionId: string, eventId: string): Promise<boolean> {
  const row = await db.kysely
    .selectFrom('session_events')
    .select('seq')
    .where('session_id', '=', sessionId)
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row !== undefined;
}
