import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbedded } from '../../../server/src/db/embedded/start.ts';
import { openDatabase, type Database } from '../../../server/src/db/pool.ts';
import type { Log } from '../../../server/src/lib/log.ts';

/**
 * A failure of the server: all its processes are killed; one backend is killed, whereupon it resets itself; or it restarts
 * after a shutdown that ends every connection.
 */
export type Failure = 'crash' | 'backend' | 'restart';

/** PostgreSQL with real fsync, which outlives the processes that use it. */
export interface Postgres {
  readonly url: string;
  /** Our own pool. */
  readonly db: Database;
  /**
   * Sends SIGKILL to the postmaster and all its children; its supervisor restarts it. Returns the number of killed
   * processes.
   */
  kill(): number;
  /** Lets it fail; resolves when it answers again. */
  fail(how: Failure): Promise<void>;
  /** Periods in which it did not respond, in milliseconds since the epoch. */
  readonly downTimes: readonly { from: number; to: number }[];
  stop(): Promise<void>;
}

const backWithinMs = 60_000;

export async function startPostgres(dataDir: string, log: Log): Promise<Postgres> {
  const embedded = await startEmbedded({ dataDir, log });
  const db = openDatabase({
    connectionString: embedded.connectionString,
    maxConnections: 4,
    applicationName: 'guildhall chaos',
    log,
  });
  const downTimes: { from: number; to: number }[] = [];
  let returning: Promise<void> = Promise.resolve();

  function noteDown(): void {
    const down = { from: Date.now(), to: Infinity };
    downTimes.push(down);
    returning = awaitReturn(db, down);
    // Awaited at the stop, where its failure counts.
    returning.catch(() => undefined);
  }

  function kill(): number {
    const postmaster = embedded.pid();
    const processes = [postmaster, ...childrenOf(postmaster)];
    for (const pid of processes) killProcess(pid);
    noteDown();
    return processes.length;
  }

  return {
    url: embedded.connectionString,
    db,
    downTimes,
    kill,
    async fail(how) {
      if (how === 'crash') kill();
      else {
        const { rows } = await db.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
        if (how === 'restart') process.kill(embedded.pid(), 'SIGINT');
        else for (const { pid } of rows) killProcess(pid);
        // It may answer a last time before it notices.
        await delay(100);
        noteDown();
      }
      await returning;
    },
    async stop() {
      try {
        await returning;
      } finally {
        await db.close();
        await embedded.stop();
      }
    },
  };
}

/** Waits until the server answers, and notes the time. */
async function awaitReturn(db: Database, down: { to: number }): Promise<void> {
  const deadline = performance.now() + backWithinMs;
  while (performance.now() < deadline) {
    const answered = await db.pool.query('select 1').catch(() => undefined);
    if (answered !== undefined) {
      down.to = Date.now();
      return;
    }
    await delay(50);
  }
  throw new Error(`PostgreSQL was killed and did not come back within ${backWithinMs / 1_000} s.`);
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
