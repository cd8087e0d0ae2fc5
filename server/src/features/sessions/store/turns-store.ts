import { sql, type Transaction } from 'kysely';
import type { Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { active, deserted, free } from './dispatch-store.ts';
import { rowsOf } from './run-store.ts';

/** A session that may start. */
export interface Startable {
  id: string;
  org_id: string;
  /** The number of dispatched sessions of its organization. */
  running: number;
}

export interface Look {
  limit: number;
  now: Date;
  /** True to include sessions whose worker let the lease expire. */
  takesOver: boolean;
  /** Excluded sessions. */
  except?: readonly string[];
  /** Organizations that come last. */
  last?: readonly string[];
}

/** The same condition as in the index `sessions_to_begin`. */
const waits = `not s.dispatched and ${active}`;
const wanted = `${free('$3::boolean')} and s.id <> all ($4::text[])`;

/**
 * The order of starts: the oldest session of the organization with the fewest running ones, and among equal ones of
 * that served least recently. Of a queue that is due only the oldest may start. Each organization is looked up
 * separately, so that many sessions of one cost the others nothing, and no join depends on outdated statistics of the
 * planner.
 */
const startable = `
  with recursive waiting (org_id) as (
    (select s.org_id from sessions s where ${waits} and s.waits_for = '' order by s.org_id limit 1)
    union all
    select (select s.org_id from sessions s where ${waits} and s.waits_for = '' and s.org_id > waiting.org_id order by s.org_id limit 1)
    from waiting where waiting.org_id is not null
  ), candidates as (
    select first.* from waiting cross join lateral (
      select s.id, s.org_id, s.created_at from sessions s
      where s.org_id = waiting.org_id and ${waits} and s.waits_for = '' and ${wanted} order by s.created_at limit $1) first
    union all
    select first.* from session_queues q cross join lateral (
      select s.id, s.org_id, s.created_at from sessions s
      where s.status = 'queued' and s.waits_for <> '' and s.waits_for = q.id and ${wanted} order by s.created_at limit $1) first
    where q.wake_at <= $2
  ), running as materialized (
    select coalesce(jsonb_object_agg(d.org_id, d.count), '{}') as counts
    from (select org_id, count(*) from sessions where dispatched group by org_id) d
  )
  select s.id, s.org_id, coalesce((r.counts ->> s.org_id)::int, 0) as running from candidates s, running r
  where (select o.state = 'active' from organizations o where o.id = s.org_id)
  order by s.org_id = any ($5::text[]), running,
    (select t.served_at from organization_turns t where t.org_id = s.org_id) nulls first, s.created_at, s.id limit $1`;

/** Returns sessions that may start, in their current order; each start changes it. */
export async function listStartable(
  db: Database | Transaction<DB>,
  { limit, now, takesOver, except = [], last = [] }: Look,
): Promise<Startable[]> {
  return rowsOf(db, 'sessions_to_begin', startable, [limit, now, takesOver, except, last]);
}

/**
 * Returns true if a session without a worker may start; a cheap check. Warm sessions are not counted, although they may
 * start, too.
 */
export async function hasStartable(db: Database, now: Date): Promise<boolean> {
  const rows = await rowsOf<{ some: boolean }>(
    db,
    'sessions_some_to_begin',
    `select exists (
       select from sessions s where ${waits} and s.waits_for = '' and (s.lease_until is null or s.lease_until < now() or ${deserted})
     ) or exists (
       select from session_queues q where q.wake_at <= $1 and exists (
         select from sessions s where s.status = 'queued' and s.waits_for <> '' and s.waits_for = q.id)) as some`,
    [now],
  );
  return rows[0]?.some === true;
}

/** Waiters for the lock in this process, one at a time: a connection for each would use up the pool. */
const waitingHere = new WeakMap<Database, Promise<unknown>>();

/** Runs `work` in a transaction that serializes decisions on the next start. Its lock precedes every other one. */
export async function withStartLock<T>(db: Database, work: (trx: Transaction<DB>) => Promise<T>): Promise<T> {
  const before = waitingHere.get(db);
  const done = (async () => {
    await before?.catch(() => undefined);
    return db.transaction(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('session turns', 0))`.execute(trx);
      return work(trx);
    });
  })();
  waitingHere.set(db, done);
  return done;
}

/** Records the start of a session of the organization. */
export async function markServed(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`insert into organization_turns (org_id, served_at) values (${orgId}, clock_timestamp())
    on conflict (org_id) do update set served_at = excluded.served_at`.execute(trx);
}
