import { sql, type Insertable, type Kysely, type Transaction, type UpdateObject } from 'kysely';
import type { QueryResultRow } from 'pg';
import { named, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import type { SessionStatus, StatusDetail } from '../schemas/session-schemas.ts';

/** How long a lease holds without a heartbeat, unless its worker says so. By the database's clock, the only one all share. */
export const leaseMs = 10_000;

/** A length in milliseconds, as SQL has it; `parameter` is its placeholder. */
export const intervalOf = (parameter: string): string => `make_interval(secs => ${parameter}::float8 / 1000)`;

/** A lease that holds, and what people asked of its session meanwhile. */
interface Renewed {
  id: string;
  fence: number;
  status: SessionStatus;
  interrupt_requested: boolean;
  suspend_requested: boolean;
  max_minutes: number | null;
  /** False while a transaction holds the session's row: one that is held up must not cost other sessions their leases. */
  renewed: boolean;
}

/** Renews leases; answers those that still hold, with what people asked of them meanwhile. */
export async function renewLeases(db: Database, held: { id: string; fence: number }[], lastsMs: number) {
  const rows = await named<Renewed>(
    db,
    'session_renew',
    `with held as (
       select s.id from sessions s join unnest($1::text[], $2::bigint[]) as asked (id, fence) using (id, fence)
       where s.lease_owner <> ''
     ), free as (
       select id from sessions s where id in (select id from held) for update skip locked
     ), renewed as (
       update sessions s set lease_until = now() + ${intervalOf('$3')}
       from free join unnest($1::text[], $2::bigint[]) as asked (id, fence) using (id)
       where s.id = free.id and s.fence = asked.fence and s.lease_owner <> '' returning s.id
     )
     select s.id, s.fence, s.status, s.interrupt_requested, s.suspend_requested,
       (s.budget ->> 'max_minutes')::float8 as max_minutes, s.id in (select id from renewed) as renewed
     from sessions s where s.id in (select id from held)`,
    [held.map(({ id }) => id), held.map(({ fence }) => fence), lastsMs],
  );
  return rows;
}

/** Whether the session's newest turn is over. */
export async function readTurnEnded(db: Kysely<DB>, id: string): Promise<boolean> {
  const row = await db.selectFrom('sessions').select('turn_ended').where('id', '=', id).executeTakeFirst();
  return row?.turn_ended ?? true;
}

/** Whether a fencing token is still the session's. A lease that ran out is still held until another one is given out. */
export async function holdsFence(db: Database, id: string, fence: number): Promise<boolean> {
  const rows = await named<{ held: boolean }>(
    db,
    'session_holds',
    `select true as held from sessions where id = $1 and fence = $2 and lease_owner <> ''`,
    [id, fence],
  );
  return rows.length === 1;
}

/** What changes in the same statement as the log: null leaves it as it is. */
const appendCtes = `
  bumped as (
    update sessions set last_seq = last_seq + cardinality($3::text[]), record_count = record_count + cardinality($7::text[]),
      losses = case when $12::boolean then 0 else losses end,
      status = coalesce($8, status), status_detail = coalesce($9, status_detail),
      sandbox_state = coalesce($10, sandbox_state), phases = coalesce($11::jsonb, phases), updated_at = clock_timestamp()
    where id = $1 and ($2::bigint is null or fence = $2)
    returning last_seq, record_count, org_id, attempt_no, turn
  ), recorded as (
    insert into session_records (session_id, position, data)
    select $1, bumped.record_count - cardinality($7::text[]) + r.position, r.data::json
    from bumped, unnest($7::text[]) with ordinality as r (data, position)
  ), appended as (
    insert into session_events (session_id, seq, id, org_id, kind, phase, turn, attempt_no, data)
    select $1, bumped.last_seq - cardinality($3::text[]) + e.position, e.id, bumped.org_id, e.kind, e.phase,
           bumped.turn, bumped.attempt_no, e.data::json
    from bumped, unnest($3::text[], $4::text[], $5::text[], $6::text[]) with ordinality as e (id, kind, phase, data, position)
    returning seq
  )`;
const appended =
  "select last_seq, case when (select count(*) from appended) > 0 then pg_notify('guildhall_session', $1) end from bumped";
const appendStatement = `with ${appendCtes} ${appended}`;

/** The same where the status may change, which is published: most appends are of events alone, and cost nothing more. */
const appendStatusStatement = `
  with before as (
    select status, status_detail from sessions where id = $1
  ), ${appendCtes}, published as (
    insert into outbox_pending (org_id, type, resource_type, resource_id, actor_type, actor_id, data)
    select bumped.org_id, 'session.status_changed', 'session', $1, 'session', $1,
      jsonb_build_object('status', $8::text, 'status_detail', $9::text, 'previous_status', before.status)
    from bumped, before where (before.status, before.status_detail) is distinct from ($8::text, $9::text)
  ) ${appended}`;

/** What changes together with the log. */
export interface AppendedWith {
  records?: readonly object[] | undefined;
  /** The id of the first event, for {@link hasEvent}. */
  mark?: string;
  /** The session got on: workers that were lost before do not count against it any more. */
  progress?: boolean | undefined;
  shown?: { status?: string; status_detail?: string; sandbox_state?: string; phases?: readonly object[] } | undefined;
}

/**
 * Appends events with the next sequence numbers and wakes the streams once. With a fence, only while it is the
 * session's: false when it no longer is. In a transaction the rows appear with its commit.
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
    events.map((_, index) => (index === 0 ? mark : undefined) ?? newId('evt')),
    events.map(({ kind }) => kind),
    events.map(({ phase }) => phase ?? ''),
    events.map(({ data }) => JSON.stringify(data)),
    records.map((record) => JSON.stringify(record)),
    shown.status ?? null,
    shown.status_detail ?? null,
    shown.sandbox_state ?? null,
    shown.phases === undefined ? null : JSON.stringify(shown.phases),
    progress,
  ];
  const rows =
    shown.status === undefined
      ? await rowsOf(db, 'events_append', appendStatement, values)
      : await rowsOf(db, 'events_append_status', appendStatusStatement, values);
  return rows.length === 1;
}

/** Whether an event is on record: only for a write whose answer never came, because it looks through the session's log. */
export async function hasEvent(db: Database, sessionId: string, eventId: string): Promise<boolean> {
  const row = await db.kysely
    .selectFrom('session_events')
    .select('seq')
    .where('session_id', '=', sessionId)
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row !== undefined;
}

/** What the agent of a session recorded, oldest first. */
export async function readRecords(db: Kysely<DB>, id: string): Promise<Readonly<Record<string, unknown>>[]> {
  const rows = await db
    .selectFrom('session_records')
    .select('data')
    .$narrowType<{ data: Readonly<Record<string, unknown>> }>()
    .where('session_id', '=', id)
    .orderBy('position')
    .execute();
  return rows.map(({ data }) => data);
}

/** A statement with `$n` parameters as a Kysely expression, so that it runs inside a transaction of Kysely's. */
export function sqlOf(text: string, values: unknown[]) {
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
    sql.raw(''),
  );
}

/** Runs a statement with `$n` parameters: {@link named}, or as it is within a transaction. */
export async function rowsOf<Row extends QueryResultRow>(
  db: Database | Transaction<DB>,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  if ('pool' in db) return named<Row>(db, name, text, values);
  return (await db.executeQuery<Row>(sqlOf(text, values).compile(db))).rows;
}

/** Locks a session for its run; undefined when the fence is no longer its own. */
export async function lockRun(trx: Kysely<DB>, id: string, fence: number) {
  return trx
    .selectFrom('sessions')
    .select(['sessions.id', 'sessions.org_id', 'status', 'status_detail', 'sandbox_seconds'])
    .$narrowType<{ status_detail: StatusDetail }>()
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('session_messages')
            .select('session_messages.id')
            .where('session_id', '=', id)
            .where('session_messages.state', '=', 'queued'),
        )
        .$castTo<boolean>()
        .as('has_queued'),
    )
    .where('sessions.id', '=', id)
    .where('fence', '=', fence)
    .forUpdate()
    .executeTakeFirst();
}

/** Changes a session for a run; false when the fence is no longer its own. */
export async function updateRun(
  trx: Kysely<DB>,
  id: string,
  fence: number,
  change: UpdateObject<DB, 'sessions'>,
): Promise<boolean> {
  const result = await trx
    .updateTable('sessions')
    .set({ ...change, updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('fence', '=', fence)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function insertCheckpoint(
  trx: Transaction<DB>,
  row: Insertable<DB['session_checkpoints']>,
): Promise<void> {
  await trx.insertInto('session_checkpoints').values(row).execute();
}

/** The newest fencing token of a session, and who holds it (`''`: nobody). */
export async function readLease(db: Kysely<DB>, id: string) {
  return db.selectFrom('sessions').select(['fence', 'lease_owner']).where('id', '=', id).executeTakeFirst();
}

/** The newest checkpoint of each repository of a session. */
export async function latestCheckpoints(db: Kysely<DB>, sessionId: string) {
  return (
    db
      .selectFrom('session_checkpoints')
      .distinctOn('repo')
      .select([
        'id',
        'org_id',
        'repo',
        'commit',
        'base_commit',
        'turn',
        'seq',
        'blob',
        'size_bytes',
        'parts',
        'binaries',
      ])
      .where('session_id', '=', sessionId)
      .orderBy('repo')
      // Ids follow the clocks of the workers, which may differ.
      .orderBy('seq', 'desc')
      .execute()
  );
}

/** Takes from a checkpoint what it was restored from: a later one has that now. */
export async function supersedeCheckpoint(trx: Transaction<DB>, id: string): Promise<void> {
  await trx
    .updateTable('session_checkpoints')
    .set({ parts: JSON.stringify([]), binaries: false })
    .where('id', '=', id)
    .execute();
}

export async function insertArtifact(trx: Transaction<DB>, row: Insertable<DB['session_artifacts']>): Promise<void> {
  await trx.insertInto('session_artifacts').values(row).execute();
}
