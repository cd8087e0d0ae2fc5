import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbedded } from '../../../server/src/db/embedded/start.ts';
import { openDatabase, type Database } from '../../../server/src/db/pool.ts';
import type { Log } from '../../../server/src/lib/log.ts';

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

  async function awaitReturn(down: { to: number }): Promise<void> {
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

  return {
    url: embedded.connectionString,
    db,
    downTimes,
    kill() {
      const postmaster = embedded.pid();
      const processes = [postmaster, ...childrenOf(postmaster)];
      for (const pid of processes) killProcess(pid);
      const down = { from: Date.now(), to: Infinity };
      downTimes.push(down);
      returning = awaitReturn(down);
      // Awaited at the stop, where its failure counts.
      returning.catch(() => undefined);
      return processes.length;
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
