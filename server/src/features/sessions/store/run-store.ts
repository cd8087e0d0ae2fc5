import { CompiledQuery, sql, type Insertable, type Kysely, type Transaction, type UpdateObject } from 'kysely';
import type { QueryResultRow } from 'pg';
import { named, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import { activityOf } from './activity.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import type { SessionStatus, StatusDetail } from '../schemas/session-schemas.ts';

/** The default duration of a lease without a heartbeat, by the database's clock, the only one that all share. */
export const leaseMs = 10_000;

/** A duration in milliseconds in SQL; `parameter` is its placeholder. */
export const intervalOf = (parameter: string): string => `make_interval(secs => ${parameter}::float8 / 1000)`;

/** A valid lease, with requests to its session in the meantime. */
interface Renewed {
  id: string;
  fence: number;
  status: SessionStatus;
  interrupt_requested: boolean;
  suspend_requested: boolean;
  max_minutes: number | null;
  /** False while a transaction has locked the session's row, which must not cost other sessions their leases. */
  renewed: boolean;
}

/** Renews leases; returns those that are still valid, with requests to their sessions. */
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

/** Returns true if a fencing token is current. An expired lease is still valid until another one is issued. */
export async function holdsFence(db: Database, id: string, fence: number): Promise<boolean> {
  const rows = await named<{ held: boolean }>(
    db,
    'session_holds',
    `select true as held from sessions where id = $1 and fence = $2 and lease_owner <> ''`,
    [id, fence],
  );
  return rows.length === 1;
}

/** True if the last change is less than a second ago. */
const isFresh = `updated_at between clock_timestamp() - interval '1 second' and clock_timestamp()`;

/**
 * A worker's events change the time of the last change once a second: it is indexed, so that a change of it writes to
 * every index of the table.
 */
const appendedAt = `updated_at = case when $2::bigint is not null and $8::text is null and ${isFresh}
      then updated_at else clock_timestamp() end`;

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
  ), appended as (
    insert into session_events (session_id, seq, id, org_id, kind, phase, turn, attempt_no, data)
    select $1, bumped.last_seq - cardinality($3::text[]) + e.position, e.id, bumped.org_id, e.kind, e.phase,
           bumped.turn, bumped.attempt_no, e.data::json
    from bumped, unnest($3::text[], $4::text[], $5::text[], $6::text[]) with ordinality as e (id, kind, phase, data, position)
    returning seq
  )`;
const appended = `select last_seq,
    case when (select count(*) from appended) > 0 then pg_notify('guildhall_session', $1) end,
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
    activityOf(events) ?? null,
  ];
  const rows =
    shown.status === undefined
      ? await rowsOf(db, 'events_append', appendStatement, values)
      : await rowsOf(db, 'events_append_status', appendStatusStatement, values);
  return rows.length === 1;
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

/** Returns the records of a session's agent, oldest first. */
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

/** Runs a statement with `$n` parameters: {@link named}, or directly within a transaction. */
export async function rowsOf<Row extends QueryResultRow>(
  db: Database | Transaction<DB>,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  if ('pool' in db) return named<Row>(db, name, text, values);
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, values))).rows;
}

/** Locks a session for its run; undefined if the run no longer owns it. */
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

/** Updates a session for a run; false if the run no longer owns it. The time of the last change follows once a second. */
export async function updateRun(
  trx: Kysely<DB>,
  id: string,
  fence: number,
  change: UpdateObject<DB, 'sessions'>,
): Promise<boolean> {
  const result = await trx
    .updateTable('sessions')
    .set({ ...change, updated_at: sql<Date>`case when ${sql.raw(isFresh)} then updated_at else clock_timestamp() end` })
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

/** Returns the newest fencing token of a session, and its owner (`''` for none). */
export async function readLease(db: Kysely<DB>, id: string) {
  return db.selectFrom('sessions').select(['fence', 'lease_owner']).where('id', '=', id).executeTakeFirst();
}

/** Returns the newest checkpoint of each repository of a session. */
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
      // Ids follow the workers' clocks, which may differ.
      .orderBy('seq', 'desc')
      .execute()
  );
}

/** Removes the parts of a checkpoint, because a later one has them now. */
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
