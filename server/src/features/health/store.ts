import { sql } from 'kysely';
import type { Database } from '../../db/pool.ts';

export interface LiveWorker {
  id: string;
  slots: number;
  busy: number;
  draining: boolean;
  sandbox: unknown;
  /** Why it takes no sessions; `''` while it does. */
  problem: string;
}

/** Workers that were heard of in the last 15 s. Fails when the database does not answer. */
export async function readWorkers(db: Database): Promise<LiveWorker[]> {
  return db.kysely
    .selectFrom('workers')
    .select(['id', 'slots', 'busy', 'draining', 'sandbox', 'problem'])
    .where('seen_at', '>', sql<Date>`now() - interval '15 seconds'`)
    .orderBy('id')
    .execute();
}

/** How many sessions have a status, over all organizations: for the operator's metrics. */
export async function countStatus(db: Database, status: 'queued' | 'running'): Promise<number> {
  const row = await db.kysely
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('status', '=', status)
    .executeTakeFirstOrThrow();
  return row.count;
}
