import { setTimeout as delay } from 'node:timers/promises';
import { Client, type QueryResultRow } from 'pg';
import { messageOf } from '../lib/errors.ts';
import { valueParsers } from './value-parsers.ts';

/** A connection outside of the pool. What it holds in the server, such as a lock, ends with it, and so with this process. */
export interface OwnConnection {
  /**
   * The process id that the server told when the connection was made. A pooler tells another one than
   * `pg_backend_pid()`, and may run each statement on another connection.
   */
  readonly backendPid: number;
  /** Runs a named statement; one name always goes with one text. A failure ends the connection. */
  query<Row extends QueryResultRow>(name: string, text: string, values?: unknown[]): Promise<Row[]>;
  /** Resolves with the reason when the connection has ended. */
  readonly lost: Promise<string>;
  /** Ends it, without waiting for long. May be called more than once. */
  close(): Promise<void>;
}

const timeoutMs = 10_000;
const closeWithinMs = 1_000;

/**
 * Opens a connection that no idle timeout of the server ends. If this machine vanishes without a word, the server
 * notices it after half a minute.
 */
export async function openOwnConnection(options: {
  connectionString: string;
  applicationName: string;
}): Promise<OwnConnection> {
  const client = new Client({
    connectionString: options.connectionString,
    application_name: options.applicationName,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    types: valueParsers,
  });
  const { promise: lost, resolve: lose } = Promise.withResolvers<string>();
  client.on('error', (error) => lose(error.message));
  client.on('end', () => lose('closed'));
  const close = async (): Promise<void> => {
    lose('closed');
    await Promise.race([client.end().catch(() => undefined), delay(closeWithinMs, undefined, { ref: false })]);
  };
  try {
    await client.connect();
    await client.query(
      `set idle_session_timeout = 0; set lock_timeout = '2s';
       set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3`,
    );
  } catch (error) {
    await close();
    throw error;
  }
  return {
    backendPid: Number(Reflect.get(client, 'processID')),
    lost,
    close,
    async query<Row extends QueryResultRow>(name: string, text: string, values: unknown[] = []): Promise<Row[]> {
      try {
        return (await client.query<Row>({ name, text, values })).rows;
      } catch (error) {
        lose(messageOf(error));
        throw error;
      }
    },
  };
}
