import type { Insertable, Kysely, Transaction } from 'kysely';
import { named, type Database } from '../../../db/pool.ts';
import type { DB } from '../../../db/types.ts';
import type { SessionStatus, StatusDetail, StoredRepository } from '../schemas/session-schemas.ts';

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

/** Returns the repositories of a run's session; undefined if the run has lost it. */
export async function repositoriesOf(
  db: Database,
  id: string,
  fence: number,
): Promise<readonly StoredRepository[] | undefined> {
  const [row] = await named<{ repositories: StoredRepository[] }>(
    db,
    'session_repositories',
    `select repositories from sessions where id = $1 and fence = $2`,
    [id, fence],
  );
  return row?.repositories;
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
