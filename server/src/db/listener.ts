import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { backoffMs } from '../lib/retry.ts';

export interface ListenerOptions {
  /** A direct connection: LISTEN does not pass a pooler in transaction mode. */
  connectionString: string;
  channels: readonly string[];
  /** Called for each notification, in order; must not throw. */
  onNotification(channel: string, payload: string): void;
  /** Called when it listens again after the connection was lost; what was notified meanwhile must be read from tables. */
  onReconnect(): void;
  log: Log;
}

export interface Listener {
  /** Ends the connection; nothing is called any more. May be called more than once. */
  close(): Promise<void>;
}

const backoff = { firstMs: 50, maxMs: 5_000 };
/**
 * A connection that died without a word (a NAT, a pulled cable, a suspended backend) shows only when it is used. Until then
 * streams are silent, so at most for both times together.
 */
const checkEveryMs = 5_000;
const checkTimeoutMs = 5_000;

/** Opens one connection that listens on channels and comes back by itself; rejects when the first attempt fails. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const closing = new AbortController();
  const first = await connect(options);
  const done = run(first, options, closing.signal);
  return {
    async close() {
      closing.abort();
      await done;
    },
  };
}

/** A listening connection; `lost` settles when it is of no use any more. */
interface Connection {
  client: Client;
  lost: Promise<string>;
}

async function run(first: Connection, options: ListenerOptions, signal: AbortSignal): Promise<void> {
  let connection: Connection | undefined = first;
  while (connection !== undefined) {
    const reason = await lossOf(connection, signal);
    connection.client.removeAllListeners('notification');
    await end(connection.client);
    if (signal.aborted) {
      return;
    }
    options.log.warn({ reason }, 'the listening database connection was lost');
    connection = await reconnect(options, signal);
    if (connection !== undefined) {
      options.onReconnect();
    }
  }
}

async function connect(options: ListenerOptions): Promise<Connection> {
  const client = new Client({
    connectionString: options.connectionString,
    application_name: 'guildhall listener',
    connectionTimeoutMillis: 10_000,
    query_timeout: checkTimeoutMs,
    keepAlive: true,
  });
  const { promise: lost, resolve } = Promise.withResolvers<string>();
  client.on('error', (error) => resolve(error.message));
  client.on('end', () => resolve('closed'));
  client.on('notification', ({ channel, payload }) => options.onNotification(channel, payload ?? ''));
  try {
    await client.connect();
    await client.query('set idle_session_timeout = 0');
    for (const channel of options.channels) {
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    }
  } catch (error) {
    client.removeAllListeners('notification');
    await end(client);
    throw error;
  }
  return { client, lost };
}

/** Closes a connection, but waits at most a second for an unreachable server. */
async function end(client: Client): Promise<void> {
  await Promise.race([client.end().catch(() => undefined), delay(1000, undefined, { ref: false })]);
}

/** Checks a connection periodically, and returns the reason once it is lost. Returns at once when closing. */
async function lossOf({ client, lost }: Connection, signal: AbortSignal): Promise<string> {
  const { promise: failed, resolve } = Promise.withResolvers<string>();
  const check = setInterval(() => {
    client.query('select 1').catch((error: unknown) => resolve(messageOf(error)));
  }, checkEveryMs);
  const closing = () => resolve('closing');
  signal.addEventListener('abort', closing, { once: true });
  if (signal.aborted) {
    closing();
  }
  try {
    return await Promise.race([lost, failed]);
  } finally {
    clearInterval(check);
    signal.removeEventListener('abort', closing);
  }
}

/** Tries until it listens again; undefined when closing. */
async function reconnect(options: ListenerOptions, signal: AbortSignal): Promise<Connection | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await delay(backoffMs(attempt, backoff), undefined, { signal });
      const connection = await connect(options);
      options.log.info({ attempts: attempt }, 'the listening database connection is back');
      return connection;
    } catch (error) {
      if (signal.aborted) {
        return undefined;
      }
      options.log.debug({ reason: messageOf(error) }, 'the listening database connection is not back yet');
    }
  }
}
