import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { named, type Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';
import { newId } from '../../lib/ids.ts';
import type { NewEvent } from './event-schemas.ts';

/** How long a lease holds without a heartbeat. By the database's clock, the only one all processes share. */
const leaseSeconds = 10;

export interface Claim {
  id: string;
  org_id: string;
  fence: number;
  losses: number;
}

/**
 * Takes a session for a worker with the next fencing token: one that waits for a worker, or whose worker let its lease
 * run out. Undefined when it needs none or another worker holds it.
 */
export async function claimSession(db: Database, id: string, owner: string): Promise<Claim | undefined> {
  const rows = await named<Claim>(
    db,
    'session_claim',
    `update sessions set fence = fence + 1, attempt_no = attempt_no + 1, lease_owner = $2,
       lease_until = now() + make_interval(secs => ${leaseSeconds}), started_at = coalesce(started_at, now()),
       losses = case when lease_until is null then losses else losses + 1 end, updated_at = now()
     where id = $1 and ((status = 'queued' and lease_until is null)
                     or (status in ('queued', 'provisioning', 'running') and lease_until < now()))
     returning id, org_id, fence, losses`,
    [id, owner],
  );
  return rows[0];
}

/** Sessions that no live worker holds although they should be worked on: queued ones and those whose lease ran out. */
export async function listClaimable(db: Database, limit: number): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `(select id from sessions where status = 'queued' and (lease_until is null or lease_until < now())
      order by created_at limit $1)
     union all
     (select id from sessions where status in ('provisioning', 'running') and lease_until < now() order by lease_until limit $1)`,
    [limit],
  );
  return rows.map((row) => row.id);
}

/** Renews leases; answers those that still hold, with what people asked of them meanwhile. */
export async function renewLeases(db: Database, held: { id: string; fence: number }[]) {
  const rows = await named<{ id: string; fence: number; interrupt_requested: boolean; suspend_requested: boolean }>(
    db,
    'session_renew',
    `update sessions s set lease_until = now() + make_interval(secs => ${leaseSeconds})
     from unnest($1::text[], $2::bigint[]) as held (id, fence)
     where s.id = held.id and s.fence = held.fence and s.lease_owner <> ''
     returning s.id, s.fence, s.interrupt_requested, s.suspend_requested`,
    [held.map(({ id }) => id), held.map(({ fence }) => fence)],
  );
  return rows;
}

/** Whether the session's newest turn is over. */
export async function readTurnEnded(db: Kysely<DB>, id: string): Promise<boolean> {
  const row = await db.selectFrom('sessions').select('turn_ended').where('id', '=', id).executeTakeFirst();
  return row?.turn_ended ?? true;
}

/** Moves the fence on: whatever the session's worker still writes is refused. */
export async function fenceOff(trx: Transaction<DB>, id: string): Promise<void> {
  await trx
    .updateTable('sessions')
    .set({ fence: sql<number>`fence + 1` })
    .where('id', '=', id)
    .execute();
}

/** Whether a fencing token is still the session's. */
export async function holdsFence(db: Database, id: string, fence: number): Promise<boolean> {
  const rows = await named<{ held: boolean }>(
    db,
    'session_holds',
    `select true as held from sessions where id = $1 and fence = $2 and lease_owner <> '' and lease_until > now()`,
    [id, fence],
  );
  return rows.length === 1;
}

const appendStatement = `
  with bumped as (
    update sessions set last_seq = last_seq + cardinality($3::text[]), updated_at = clock_timestamp()
    where id = $1 and ($2::bigint is null or fence = $2)
    returning last_seq, org_id, attempt_no, turn
  ), appended as (
    insert into session_events (session_id, seq, id, org_id, kind, phase, turn, attempt_no, data)
    select $1, bumped.last_seq - cardinality($3::text[]) + e.position, e.id, bumped.org_id, e.kind, e.phase,
           bumped.turn, bumped.attempt_no, e.data::json
    from bumped, unnest($3::text[], $4::text[], $5::text[], $6::text[]) with ordinality as e (id, kind, phase, data, position)
    returning seq
  )
  select last_seq, pg_notify('guildhall_session', $1) from bumped where exists (select 1 from appended)`;

/**
 * Appends events with the next sequence numbers and wakes the streams once. With a fence, only while it is the
 * session's: false when it no longer is. In a transaction the rows appear with its commit.
 */
export async function appendEvents(
  db: Database | Transaction<DB>,
  id: string,
  fence: number | null,
  events: readonly NewEvent[],
): Promise<boolean> {
  const values = [
    id,
    fence,
    events.map(() => newId('evt')),
    events.map(({ kind }) => kind),
    events.map(({ phase }) => phase ?? ''),
    events.map(({ data }) => JSON.stringify(data)),
  ];
  if ('pool' in db) return (await named(db, 'events_append', appendStatement, values)).length === 1;
  const result = await db.executeQuery(sqlOf(appendStatement, values).compile(db));
  return result.rows.length === 1;
}

/** A statement with `$n` parameters as a Kysely expression, so that it runs inside a transaction of Kysely's. */
function sqlOf(text: string, values: unknown[]) {
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
    sql.raw(''),
  );
}

/** Changes a session for a run; false when the fence is no longer its own. */
export async function updateRun(
  trx: Kysely<DB>,
  id: string,
  fence: number,
  change: Updateable<DB['sessions']>,
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

/** The newest checkpoint of each repository of a session. */
export async function latestCheckpoints(db: Kysely<DB>, sessionId: string) {
  return db
    .selectFrom('session_checkpoints')
    .distinctOn('repo')
    .select(['id', 'repo', 'commit', 'base_commit', 'turn', 'seq', 'blob', 'size_bytes'])
    .where('session_id', '=', sessionId)
    .orderBy('repo')
    .orderBy('id', 'desc')
    .execute();
}

export async function insertArtifact(trx: Transaction<DB>, row: Insertable<DB['session_artifacts']>): Promise<void> {
  await trx.insertInto('session_artifacts').values(row).execute();
}

/** Says that a worker is there, and how much of it is taken. */
export async function beatWorker(
  db: Database,
  worker: { id: string; host: string; slots: number; busy: number; draining: boolean; sandbox: object },
): Promise<void> {
  await db.pool.query(
    `insert into workers as w (id, host, slots, busy, draining, sandbox) values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do update set busy = excluded.busy, draining = excluded.draining, seen_at = now()`,
    [worker.id, worker.host, worker.slots, worker.busy, worker.draining, JSON.stringify(worker.sandbox)],
  );
}

export async function forgetWorker(db: Database, id: string): Promise<void> {
  await db.pool.query('delete from workers where id = $1', [id]);
}

export async function forgetSilentWorkers(db: Database): Promise<void> {
  await db.pool.query(`delete from workers where seen_at < now() - interval '1 hour'`);
}
