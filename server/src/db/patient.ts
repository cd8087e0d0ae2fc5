import { Kysely } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { retry } from '../lib/retry.ts';
import { LazyBeginDialect } from './lazy-begin.ts';
import { isDatabaseAway } from './outage.ts';
import type { Database } from './pool.ts';
import type { DB } from './types.ts';

const retryMs = 250;

/**
 * The same database for work that can wait: while no connection can be made it is tried again, until `signal` aborts. What
 * was sent is not sent again: that its answer never came does not say that it was not done.
 */
export function patientDatabase(db: Database, signal: AbortSignal): Database {
  const connect = async (): Promise<PoolClient> =>
    retry(
      () => db.pool.connect(),
      (error) => (signal.aborted || !isDatabaseAway(error) ? undefined : retryMs),
      signal,
    );
  const pool = connectingBy(db.pool, connect);
  const kysely = new Kysely<DB>({ dialect: new LazyBeginDialect({ pool }) });
  return {
    kysely,
    pool,
    transaction: (run) => kysely.transaction().execute(run),
    apart: (applicationName) => db.apart(applicationName),
    connect: (applicationName) => db.connect(applicationName),
    close: () => db.close(),
  };
}

/** The pool with another `connect`, which its own queries call too, with a callback. */
function connectingBy(pool: Pool, connect: () => Promise<PoolClient>): Pool {
  type Callback = (error: unknown, client?: PoolClient) => void;
  const tell = async (callback: Callback): Promise<void> => {
    let client: PoolClient;
    try {
      client = await connect();
    } catch (error) {
      callback(error);
      return;
    }
    callback(undefined, client);
  };
  const withCallback = (callback?: Callback) => (callback === undefined ? connect() : void tell(callback));
  return new Proxy(pool, {
    get: (target, name, receiver): unknown => (name === 'connect' ? withCallback : Reflect.get(target, name, receiver)),
  });
}
