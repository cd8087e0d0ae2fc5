import { CompiledQuery, Kysely, type Transaction } from 'kysely';
import { Pool, type QueryResultRow } from 'pg';
import type { Log } from '../lib/log.ts';
import { inTransaction, refuseInTransaction } from '../lib/transaction-scope.ts';
import { growWhenStuck } from './grow-when-stuck.ts';
import { beginLazily, LazyBeginDialect } from './lazy-begin.ts';
import { openOwnConnection, type OwnConnection } from './own-connection.ts';
import { prepareOften } from './prepare-often.ts';
import type { DB } from './types.ts';
import { valueParsers } from './value-parsers.ts';

/** One process's connections to the database. `value-parsers.ts` defines the types of values. */
export interface Database {
  /** Queries with types checked against the migrated schema. */
  readonly kysely: Kysely<DB>;
  /** For named statements and what needs a connection of its own. */
  readonly pool: Pool;
  /** Commits what `run` did, or rolls it back when it throws. No network and no waiting inside. */
  transaction<T>(run: (trx: Transaction<DB>) => Promise<T>): Promise<T>;
  /**
   * Opens a pool of one connection, for statements that must not wait until one of this pool's is free; its owner closes
   * it. A statement without an answer within 10 s fails, and the next one gets a new connection.
   */
  apart(applicationName: string): Database;
  /** Opens a connection that is not of the pool; its owner closes it. */
  connect(applicationName: string): Promise<OwnConnection>;
  /** Waits for connections in use, then closes all. May be called more than once. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** A `postgresql://` URL, over TCP or a unix socket. */
  connectionString: string;
  maxConnections: number;
  /** The number of connections that is kept and used while they are not stuck (`grow-when-stuck.ts`); all by default. */
  usualConnections?: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** A statement that runs longer is cancelled (57014); 30 s by default, 0 for never. */
  statementTimeoutMs?: number;
  /**
   * A transaction that does nothing for longer loses its connection; 0 for never. 8 s by default, less than a lease: a
   * worker that is stopped in the middle of one would keep its session's row from the worker that takes over.
   */
  idleInTransactionTimeoutMs?: number;
  /** Without an answer for longer, a statement fails and its connection is closed; never by default. */
  answerTimeoutMs?: number;
  /** Hears of connections that break; the pool replaces them. */
  log?: Log;
}

/** Opens a pool; connections are made when they are first needed. */
export function openDatabase(options: DatabaseOptions): Database {
  const usualConnections = options.usualConnections ?? options.maxConnections;
  const pool = new Pool({
    connectionString: options.connectionString,
    max: options.maxConnections,
    // They keep what they have prepared.
    min: options.usualConnections ?? 0,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 8_000,
    connectionTimeoutMillis: 10_000,
    ...(options.answerTimeoutMs === undefined ? {} : { query_timeout: options.answerTimeoutMs }),
    keepAlive: true,
    types: valueParsers,
  });
  let closed: Promise<void> | undefined;
  // A pool has ended before its connections have; a server that stops then breaks them.
  const onBroken = ({ message }: Error): void => {
    if (closed === undefined) options.log?.warn({ reason: message }, 'a database connection broke');
  };
  pool.on('error', onBroken);
  // The pool hears only of idle ones. One that breaks between two statements of a transaction would end the process; its
  // next statement fails in any case.
  pool.on('connect', (client) => client.on('error', onBroken));
  beginLazily(pool);
  prepareOften(pool);
  growWhenStuck(pool, usualConnections);
  refuseSecondConnections(pool);
  const kysely = new Kysely<DB>({ dialect: new LazyBeginDialect({ pool }) });
  return {
    kysely,
    pool,
    transaction: (run) => kysely.transaction().execute((trx) => inTransaction(() => run(trx))),
    apart: (applicationName) =>
      openDatabase({ ...options, applicationName, maxConnections: 1, answerTimeoutMs: 10_000 }),
    connect: (applicationName) => openOwnConnection({ connectionString: options.connectionString, applicationName }),
    close: () => (closed ??= endPool(pool)),
  };
}

/** Transactions that each wait for another connection would wait for each other once the pool is empty. */
function refuseSecondConnections(pool: Pool): void {
  const { connect } = pool;
  const checked = (...given: unknown[]): unknown => {
    refuseInTransaction('a second database connection was asked for');
    return Reflect.apply(connect, pool, given);
  };
  Reflect.set(pool, 'connect', checked);
}

async function endPool(pool: Pool): Promise<void> {
  await pool.end();
}

/**
 * Runs a named statement, which each connection plans once, from its first use on. One name always goes with one text.
 *
 * @returns the rows; their type is the caller's claim about the statement's columns
 */
export async function named<Row extends QueryResultRow>(
  db: Pick<Database, 'pool'>,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const result = await db.pool.query<Row>({ name, text, values });
  return result.rows;
}

/** Runs a statement with `$n` parameters: {@link named}, or directly within a transaction. */
export async function rowsOf<Row extends QueryResultRow>(
  db: Database | Transaction<DB>,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  if ('pool' in db) return named<Row>(db, name, text, values);
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, values))).rows;
}
