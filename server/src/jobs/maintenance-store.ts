import type { Database } from '../db/pool.ts';

/** A task that fails, until it succeeds. */
export interface FailingTask {
  task: string;
  /** Failed attempts in a row. */
  attempts: number;
  /** The error of the newest attempt. */
  reason: string;
}

/** Lists the maintenance tasks whose last attempt failed. */
export async function failingTasks(db: Database): Promise<FailingTask[]> {
  // The queue's tables are made by the first process that starts, after the migrations.
  const { rows: there } = await db.pool.query<{ table: string | null }>("select to_regclass('pgboss.job') as table");
  if (typeof there[0]?.table !== 'string') return [];
  const { rows } = await db.pool.query<FailingTask>(
    `select singleton_key as task, retry_count + (state = 'retry')::int as attempts, coalesce(output ->> 'message', '') as reason
     from pgboss.job
     where name in ('maintenance', 'repository_maintenance') and state in ('retry', 'active')
       and retry_count + (state = 'retry')::int > 0
     order by 1`,
  );
  return rows;
}
