import { Pool } from 'pg';
import type { Db } from 'pg-boss';
import { growWhenStuck } from '../db/grow-when-stuck.ts';
import { openListener } from '../db/listener.ts';
import { prepareOften } from '../db/prepare-often.ts';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';

/** The connections of the queue itself; what callers enqueue goes through their own transactions. */
export interface JobsDatabase {
  readonly db: Db;
  close(): Promise<void>;
}

export interface JobsDatabaseOptions {
  connectionString: string;
  applicationName: string;
  log: Log;
  /** Called with a queue's name when a job became runnable; without one when any may have. Must not throw. */
  onJobs: (queue?: string) => void;
}

const maxConnections = 4;
const usualConnections = 1;

/**
 * A small pool with plain value parsers, which is what pg-boss expects, and one listening connection. pg-boss names the
 * channel and sends the notifications with its own inserts; who is woken is ours, because its workers take one job per
 * notification and then sleep for a whole polling interval with more jobs waiting.
 */
export function openJobsDatabase(options: JobsDatabaseOptions): JobsDatabase {
  const { connectionString, applicationName, log, onJobs } = options;
  const pool = new Pool({
    connectionString,
    max: maxConnections,
    min: usualConnections,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  pool.on('error', (error) => {
    if (!pool.ending) {
      log.warn({ reason: messageOf(error) }, 'a database connection of the queue broke');
    }
  });
  prepareOften(pool);
  growWhenStuck(pool, usualConnections);
  return {
    db: {
      executeSql: (text, values) => pool.query(text, values),
      async listen(channel) {
        return openListener({
          connectionString,
          channels: [channel],
          onNotification: (_channel, queue) => onJobs(queue),
          onReconnect: () => onJobs(),
          log,
        });
      },
    },
    close: () => pool.end(),
  };
}
