import type { Database } from '../../../db/pool.ts';

/** Records the heartbeat of a worker, with its load. */
export async function upsertWorker(
  db: Database,
  worker: {
    id: string;
    host: string;
    slots: number;
    busy: number;
    draining: boolean;
    sandbox: object;
    problem: string;
  },
): Promise<void> {
  await db.pool.query(
    `insert into workers as w (id, host, slots, busy, draining, sandbox, problem) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (id) do update set busy = excluded.busy, draining = excluded.draining, problem = excluded.problem, seen_at = now(), gone_at = null`,
    [
      worker.id,
      worker.host,
      worker.slots,
      worker.busy,
      worker.draining,
      JSON.stringify(worker.sandbox),
      worker.problem,
    ],
  );
}

export async function deleteWorker(db: Database, id: string): Promise<void> {
  await db.pool.query('delete from workers where id = $1', [id]);
}

export async function deleteStaleWorkers(db: Database): Promise<void> {
  await db.pool.query(`delete from workers where seen_at < now() - interval '1 hour'`);
}
