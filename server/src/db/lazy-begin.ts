import { CompiledQuery, PostgresDialect, type Driver } from 'kysely';
import {
  Query,
  type ClientBase,
  type Connection,
  type Pool,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';

/** A `begin` that is held until the next statement (docs/adr/0098). */
const heldBegin = 'begin /* with the next statement */';

/** Kysely's dialect, whose transactions on connections of {@link beginLazily} take a round trip less. */
export class LazyBeginDialect extends PostgresDialect {
  override createDriver(): Driver {
    const driver = super.createDriver();
    const begin = driver.beginTransaction.bind(driver);
    driver.beginTransaction = async (connection, settings) => {
      if (settings.isolationLevel !== undefined || settings.accessMode !== undefined)
        return begin(connection, settings);
      await connection.executeQuery(CompiledQuery.raw(heldBegin));
    };
    return driver;
  }
}

/** Makes the connections of a pool send `begin` together with the first statement of its transaction. */
export function beginLazily(pool: Pool): void {
  pool.on('connect', beginLazilyOn);
}

function beginLazilyOn(client: ClientBase): void {
  const { query } = client;
  let isHeld = false;
  const send = (statement: string | QueryConfig, values?: unknown[], ...rest: unknown[]): unknown => {
    if (statement === heldBegin) {
      isHeld = true;
      return Promise.resolve(resultOf('BEGIN'));
    }
    if (!isHeld) return Reflect.apply(query, client, [statement, values, ...rest]);
    isHeld = false;
    // The transaction has no statement, so the server need not know of it.
    if (statement === 'commit' || statement === 'rollback') return Promise.resolve(resultOf(statement.toUpperCase()));
    const config = typeof statement === 'string' ? { text: statement } : statement;
    return new Promise((resolve, reject) => {
      const settle: Settle = (error, result) => (error instanceof Error ? reject(error) : resolve(result));
      Reflect.apply(query, client, [new FirstStatement({ ...config, values }, settle)]);
    });
  };
  Reflect.set(client, 'query', send);
}

function resultOf(command: string): Pick<QueryResult, 'command' | 'rowCount' | 'rows'> {
  return { command, rowCount: null, rows: [] };
}

type Settle = (error: Error | undefined, result: unknown) => void;

declare module 'pg' {
  /** The methods by which the client sends a query, and passes answers to it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- parameters of the class, which must be repeated
  interface Query<R extends QueryResultRow = any, I extends any[] = any> {
    name?: string | undefined;
    prepare(connection: Connection): void;
    handleCommandComplete(message: unknown, connection: Connection): void;
    handleError(error: Error, connection: Connection): void;
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  interface QueryConfig<I extends any[] = any[]> {
    queryMode?: 'extended';
  }
}

/**
 * A statement behind its transaction's `begin`, with one `Sync` of the extended protocol behind both. After a failure the server
 * skips everything up to that, so the statement never runs outside of the transaction.
 */
class FirstStatement extends Query {
  #name: string | undefined;
  #isBegun = false;

  constructor(config: QueryConfig, settle: Settle) {
    super({ ...config, queryMode: 'extended' }, settle);
  }

  override prepare(connection: Connection): void {
    connection.parse({ name: '', text: 'begin', types: [] }, true);
    connection.bind({}, true);
    connection.execute({}, true);
    super.prepare(connection);
    // Until `begin` is answered, the client would take its answers for those of the named statement.
    this.#name = this.name;
    this.name = undefined;
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#isBegun) return super.handleCommandComplete(message, connection);
    this.#isBegun = true;
    this.name = this.#name;
  }

  override handleError(error: Error, connection: Connection): void {
    // The client forgets a name that was not parsed, but does not know this one yet.
    if (!this.#isBegun && this.#name !== undefined)
      Reflect.deleteProperty(Reflect.get(connection, 'submittedNamedStatements'), this.#name);
    super.handleError(error, connection);
  }
}
