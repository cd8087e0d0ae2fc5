import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import { named, type Database } from '../db/pool.ts';
import type { DB } from '../db/types.ts';
import type { OutboxEvent } from './event.ts';

/** Returns true if an event has no position yet. */
export async function hasPending(db: Database): Promise<boolean> {
  const rows = await named<{ some: boolean }>(
    db,
    'outbox_has_pending',
    'select exists (select from outbox_pending) as some',
    [],
  );
  return rows[0]?.some ?? false;
}

/** The advisory lock for ordering events: one process at a time. */
const lockKey = 7_420_180_017;

/** Takes the lock until the transaction ends; returns false if another process has it. */
export async function lockOrder(trx: Transaction<DB>): Promise<boolean> {
  const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${lockKey}::bigint) as got`.execute(
    trx,
  );
  return rows[0]?.got ?? false;
}

/**
 * Assigns positions to committed events in the order of their insertion, and notifies `guildhall_outbox` with each
 * organization; returns their number. Events of a deleted organization are dropped.
 */
export async function placePending(trx: Transaction<DB>, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with taken as (
      delete from outbox_pending where position in (select position from outbox_pending order by position limit ${limit})
      returning *
    ), known as (
      select t.*, row_number() over (partition by t.org_id order by t.position) as nth from taken t
      where exists (select from organizations o where o.id = t.org_id)
    ), moved as (
      insert into outbox_heads as h (org_id, seq) select org_id, count(*) from known group by org_id
      on conflict (org_id) do update set seq = h.seq + excluded.seq
      returning org_id, seq
    ), placed as (
      insert into outbox_events (org_id, seq, type, resource_type, resource_id, actor_type, actor_id, data, created_at)
      select k.org_id, m.seq - (select count(*) from known o where o.org_id = k.org_id) + k.nth, k.type, k.resource_type,
        k.resource_id, k.actor_type, k.actor_id, k.data, k.created_at
      from known k join moved m using (org_id) order by k.position
    ), told as (
      select pg_notify('guildhall_outbox', org_id) from moved
    )
    select (select count(*) from taken) as count, (select count(*) from told) as organizations`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Creates the cursors of new consumers, which start with future events. */
export async function insertCursors(db: Kysely<DB>, names: readonly string[]): Promise<void> {
  await sql`insert into outbox_cursors (name, position)
    select name, coalesce((select max(position) from outbox_events), 0) from unnest(${names}::text[]) name
    on conflict (name) do nothing`.execute(db);
}

/** The events that some consumers have not handled yet. */
export interface NextEvents {
  /** The position up to which each of them has handled events. */
  positions: ReadonlyMap<string, number>;
  /** The first events after the lowest of these positions, in order. */
  events: OutboxEvent[];
}

/**
 * Locks cursors of consumers and returns the events after them. Left out are cursors that another process has, and those
 * of consumers that must wait after a failure.
 */
export async function takeEvents(
  trx: Transaction<DB>,
  names: readonly string[],
  { now, limit }: { now: Date; limit: number },
): Promise<NextEvents> {
  const { rows } = await sql<{ positions: Record<string, number> | null; event: StoredEvent | null; at: Date }>`
    with mine as materialized (
      select name, position from outbox_cursors where name = any(${names}::text[]) and (retry_at is null or retry_at <= ${now})
      for update skip locked
    )
    select m.positions, e.event, e.created_at as at
    from (select jsonb_object_agg(name, position) as positions, min(position) as first from mine) m left join lateral (
      select to_jsonb(o) - 'created_at' as event, o.created_at, o.position from outbox_events o
      where o.position > m.first order by o.position limit ${limit}
    ) e on true order by e.position`.execute(trx);
  const positions = new Map(Object.entries(rows[0]?.positions ?? {}));
  return { positions, events: rows.flatMap(({ event, at }) => (event === null ? [] : [eventOf(event, at)])) };
}

type StoredEvent = Omit<Selectable<DB['outbox_events']>, 'created_at' | 'data'> & { data: Record<string, unknown> };

function eventOf(row: StoredEvent, at: Date): OutboxEvent {
  return {
    position: row.position,
    orgId: row.org_id,
    seq: row.seq,
    type: row.type,
    resource: { type: row.resource_type, id: row.resource_id },
    actor: { type: row.actor_type, id: row.actor_id },
    data: row.data,
    at,
  };
}

/** Moves the cursors before a position to it, and clears their failures. */
export async function moveCursors(trx: Transaction<DB>, names: readonly string[], position: number): Promise<void> {
  await sql`
    update outbox_cursors set position = ${position}, failures = 0, retry_at = null, problem = ''
    where name = any(${names}::text[]) and position < ${position}`.execute(trx);
}

/** Records a failure of a consumer; it is retried after twice as long each time, within these milliseconds. */
export async function noteFailure(
  db: Kysely<DB>,
  name: string,
  { problem, now, firstMs, mostMs }: { problem: string; now: Date; firstMs: number; mostMs: number },
): Promise<void> {
  const wait = sql<number>`least(${mostMs}::float8, ${firstMs}::float8 * 2 ^ least(failures, 20))`;
  await sql`
    update outbox_cursors set failures = failures + 1, problem = ${problem},
      retry_at = ${now}::timestamptz + ${wait} * interval '1 millisecond'
    where name = ${name}`.execute(db);
}

/** Registers the consumers, and deletes those that no process has registered since an instant. */
export async function refreshCursors(
  db: Kysely<DB>,
  names: readonly string[],
  { now, goneBefore }: { now: Date; goneBefore: Date },
): Promise<void> {
  await db.updateTable('outbox_cursors').set({ seen_at: now }).where('name', 'in', names).execute();
  await db.deleteFrom('outbox_cursors').where('seen_at', '<', goneBefore).execute();
}

/**
 * Deletes the oldest events that are older than an instant and that every consumer has passed; returns their number.
 */
export async function deletePassed(db: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from outbox_events where position in (
      select position from outbox_events
      where created_at < ${before} and position <= coalesce((select min(position) from outbox_cursors), 9223372036854775807)
      order by position limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

/** Returns how many events the slowest consumer has not handled yet. */
export async function countBehind(db: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ behind: number }>`
    select coalesce((select max(position) from outbox_events) - (select min(position) from outbox_cursors), 0) as behind`.execute(
    db,
  );
  return Math.max(0, rows[0]?.behind ?? 0);
}
