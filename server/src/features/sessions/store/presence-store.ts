import type { OwnConnection } from '../../../db/own-connection.ts';
import type { Database } from '../../../db/pool.ts';

type Connection = Pick<OwnConnection, 'query'>;

const lockOf = (worker: string): string => `hashtextextended('worker ' || ${worker}, 0)`;

/** Takes a worker's lock until the connection ends. Returns the process id of the server that holds it. */
export async function takeLock(connection: Connection, worker: string): Promise<number | undefined> {
  const [row] = await connection.query<{ pid: number }>(
    'worker_lock',
    `select pg_advisory_lock(${lockOf('$1')}), pg_backend_pid() as pid`,
    [worker],
  );
  return row?.pid;
}

/**
 * Lists a worker that holds its lock on this connection, on this server. It must have sent a heartbeat. Returns true if it
 * was listed on this server before.
 */
export async function insertPresence(connection: Connection, worker: string): Promise<boolean> {
  const rows = await connection.query<{ was: boolean | null }>(
    'worker_presence_insert',
    `insert into worker_presence as p (worker_id, backend_pid) values ($1, pg_backend_pid())
     on conflict (worker_id) do update set backend_pid = excluded.backend_pid, server_started_at = excluded.server_started_at
     returning (select o.server_started_at = pg_postmaster_start_time() from worker_presence o where o.worker_id = $1) as was`,
    [worker],
  );
  return rows[0]?.was === true;
}

/** Removes a worker from the list, if it was listed with this connection; returns true if it was. */
export async function deletePresence(db: Pick<Database, 'pool'>, worker: string, backendPid: number): Promise<boolean> {
  const text = 'delete from worker_presence where worker_id = $1 and backend_pid = $2';
  return (await db.pool.query(text, [worker, backendPid])).rowCount === 1;
}

/** A listed worker whose lock is free, or this one. */
export interface Present {
  id: string;
  backend_pid: number;
  /** The time of its last heartbeat. */
  seen: string;
  isOwn: boolean;
}

/**
 * Returns the listed workers whose lock nobody holds, and this connection's own. A worker that was listed with an earlier
 * server does not count: that server's locks ended with it.
 */
export async function listFree(connection: Connection): Promise<Present[]> {
  return connection.query<Present>(
    'worker_presence_list',
    `select p.worker_id as id, p.backend_pid, w.seen_at::text as seen, p.backend_pid = pg_backend_pid() as "isOwn"
     from worker_presence p join workers w on w.id = p.worker_id
     where p.server_started_at = pg_postmaster_start_time()
       and case when p.backend_pid = pg_backend_pid() then true else pg_try_advisory_xact_lock_shared(${lockOf('p.worker_id')}) end`,
  );
}

/**
 * Marks a worker as gone and wakes the others, if its lock is still free, it was not listed again, and no heartbeat came
 * meanwhile. Returns false otherwise, also if another process does so at the moment.
 */
export async function markGone(
  connection: Connection,
  { id, backend_pid, seen }: Pick<Present, 'id' | 'backend_pid' | 'seen'>,
): Promise<boolean> {
  const rows = await connection.query(
    'worker_gone',
    `with lost as materialized (
       select p.worker_id from worker_presence p join workers w on w.id = p.worker_id
       where p.worker_id = $1 and p.backend_pid = $2 and p.server_started_at = pg_postmaster_start_time()
         and w.seen_at = $3::timestamptz for update skip locked
     ), ended as (
       delete from worker_presence p using lost
       where p.worker_id = lost.worker_id and pg_try_advisory_xact_lock_shared(${lockOf('p.worker_id')}) returning p.worker_id
     )
     update workers w set gone_at = now() from ended where w.id = ended.worker_id
     returning pg_notify('guildhall_dispatch', '')`,
    [id, backend_pid, seen],
  );
  return rows.length > 0;
}

/** Marks all workers but one as gone. */
export async function markOthersGone(db: Pick<Database, 'pool'>, worker: string): Promise<void> {
  await db.pool.query('update workers set gone_at = now() where id <> $1 and gone_at is null', [worker]);
}
