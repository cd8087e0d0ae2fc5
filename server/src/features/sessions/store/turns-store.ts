import { sql, type Transaction } from 'kysely';
import { rowsOf, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import { active, deserted, dispatchKept, free } from './dispatch-store.ts';
import { virtualTime } from './share-store.ts';

/** A session that may start. */
export interface Startable {
  id: string;
  org_id: string;
  /** The number of dispatched sessions of its organization, by its weight. */
  share: number;
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

/** The same conditions as in the indexes `sessions_to_begin` and `sessions_waiting`. */
const waits = `not s.dispatched and ${active} and s.waits_for = ''`;
const held = `s.status = 'queued' and s.waits_for <> ''`;
const wanted = `${free('$2::boolean')} and s.id <> all ($3::text[])`;

/**
 * The order of starts: the oldest session of the organization with the fewest running ones by its weight; among equal ones
 * that with the least start tag, then that served least recently. Of a queue that is due only the oldest may start. Organizations are put in order first, each
 * by one look at the index, and only the sessions of the next one are read: neither the length of a queue nor outdated
 * statistics of the planner cost anything. No plan sorts again after `ordered`. With the limit as a parameter PostgreSQL
 * would plan it for each execution.
 */
const startable = (limit: number): string => `
  with recursive waiting (org_id, since) as (
    (select s.org_id, s.created_at from sessions s where ${waits} order by s.org_id, s.created_at limit 1)
    union all
    select next.* from waiting cross join lateral (
      select s.org_id, s.created_at from sessions s where ${waits} and s.org_id > waiting.org_id
      order by s.org_id, s.created_at limit 1) next
  ), queues as (
    select org_id, '' as id, since from waiting
    union all
    select q.org_id, q.id, first.created_at from session_queues q cross join lateral (
      select s.created_at from sessions s where ${held} and s.waits_for = q.id order by s.created_at limit 1) first
    where q.wake_at <= $1
  ), running as materialized (
    select coalesce(jsonb_object_agg(d.org_id, d.count), '{}') as counts
    from (select org_id, count(*) from sessions where dispatched group by org_id) d
  ), virtual as materialized (
    select ${virtualTime} as now
  ), ordered as (
    select q.org_id, q.id as queue, q.since, q.org_id = any ($4::text[]) as comes_last,
      coalesce((r.counts ->> q.org_id)::int, 0) / coalesce(t.weight, 1)::float as share,
      greatest(t.finish_tag, v.now) as start_tag, t.served_at
    from queues q cross join running r cross join virtual v left join organization_turns t on t.org_id = q.org_id
    order by comes_last, share, start_tag, served_at nulls first, since, queue
  )
  select first.id, o.org_id, o.share from ordered o cross join lateral (
    (select s.id from sessions s where o.queue = '' and s.org_id = o.org_id and ${waits} and ${wanted}
     order by s.created_at, s.id limit ${limit})
    union all
    (select s.id from sessions s where o.queue <> '' and ${held} and s.waits_for = o.queue and ${wanted}
     order by s.created_at, s.id limit ${limit})) first
  where (select c.state = 'active' from organizations c where c.id = o.org_id)
  order by o.comes_last, o.share, o.start_tag, o.served_at nulls first, o.since, o.queue limit ${limit}`;

/** Returns sessions that may start, in their current order; each start changes it. */
export async function listStartable(
  db: Database | Transaction<DB>,
  { limit, now, takesOver, except = [], last = [] }: Look,
): Promise<Startable[]> {
  return rowsOf(db, `sessions_to_begin_${limit}`, startable(limit), [now, takesOver, except, last]);
}

/** The condition that a session without a worker may start, at the time $n. */
const someStartable = (now: string): string => `(
  exists (select from sessions s where ${waits} and (s.lease_until is null or s.lease_until < now() or ${deserted}))
  or exists (select from session_queues q where q.wake_at <= ${now} and exists (
    select from sessions s where ${held} and s.waits_for = q.id)))`;

/**
 * Returns true if a session without a worker may start; a cheap check. Warm sessions are not counted, although they may
 * start, too.
 */
export async function hasStartable(db: Database, now: Date): Promise<boolean> {
  const rows = await rowsOf<{ some: boolean }>(db, 'sessions_some_to_begin', `select ${someStartable('$1')} as some`, [
    now,
  ]);
  return rows[0]?.some === true;
}

/**
 * Dispatches a session whose worker kept it for another turn. Returns false, without a change, if another session waits to
 * start, if limits apply, or if the run no longer owns it.
 */
export async function dispatchUnopposed(db: Database, id: string, fence: number, now: Date): Promise<boolean> {
  const text = dispatchKept(`and not ${someStartable('$3')}`);
  const rows = await rowsOf(db, 'session_dispatch_unopposed', text, [id, fence, now]);
  return rows.length === 1;
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
