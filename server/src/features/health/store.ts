import { sql } from 'kysely';
import type { Database } from '../../db/pool.ts';

export interface LiveWorker {
  id: string;
  slots: number;
  busy: number;
  draining: boolean;
  sandbox: unknown;
  /** The reason for accepting no sessions; `''` if it does. */
  problem: string;
}

/** Returns true if the database accepts no writes, as a standby. Rejects if it is unavailable. */
export async function isReadOnly(db: Database): Promise<boolean> {
  const { rows } = await sql<{ on: boolean }>`select current_setting('transaction_read_only')::bool as on`.execute(
    db.kysely,
  );
  return rows[0]?.on === true;
}

/** Returns the workers that reported in the last 15 s. Rejects if the database is unavailable. */
export async function readWorkers(db: Database): Promise<LiveWorker[]> {
  return db.kysely
    .selectFrom('workers')
    .select(['id', 'slots', 'busy', 'draining', 'sandbox', 'problem'])
    .where('seen_at', '>', sql<Date>`now() - interval '15 seconds'`)
    .orderBy('id')
    .execute();
}

/** Counts the sessions with a status in all organizations, for the operator's metrics. */
export async function countStatus(db: Database, status: 'queued' | 'running'): Promise<number> {
  const row = await db.kysely
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('status', '=', status)
    .executeTakeFirstOrThrow();
  return row.count;
}
