import { connectTo, McpServerError, type Connection, type ServerAddress } from './connection.ts';

/** Number of times that a lost connection is restored. */
const maxReconnections = 20;
const reconnectMs = 15_000;

/** A session's connection to an MCP server, which is restored after a loss. */
export class ReconnectingServer {
  readonly #way: ServerAddress;
  #connection: Connection;
  #reconnecting: Promise<Connection> | undefined;
  #reconnections = 0;
  #closed = false;

  constructor(way: ServerAddress, connection: Connection) {
    this.#way = way;
    this.#connection = connection;
  }

  /**
   * Calls a tool, over a new connection if the old one was lost before the call. A call that was interrupted is not repeated,
   * because it may have taken effect. Rejects as {@link Connection.callTool} does.
   */
  async call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const connection = await this.#current(signal);
    try {
      return await connection.callTool(name, input, signal);
    } catch (error) {
      if (!(error instanceof McpServerError) || !error.isForgotten) throw error;
      if (this.#connection === connection) await this.#drop(connection);
      return (await this.#current(signal)).callTool(name, input, signal);
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#reconnecting?.catch(() => undefined);
    await this.#connection.close();
  }

  #current(signal: AbortSignal): Promise<Connection> | Connection {
    if (this.#connection.isOpen) return this.#connection;
    // Concurrent calls share one new connection.
    this.#reconnecting ??= this.#reconnect(signal).finally(() => (this.#reconnecting = undefined));
    return this.#reconnecting;
  }

  async #reconnect(signal: AbortSignal): Promise<Connection> {
    if (this.#closed || this.#reconnections >= maxReconnections)
      throw new McpServerError('The connection was lost too often.');
    this.#reconnections += 1;
    const late = AbortSignal.timeout(reconnectMs);
    try {
      this.#connection = await connectTo(this.#way, AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted)
        throw new McpServerError(`The connection was lost and could not be restored within ${reconnectMs / 1_000} s.`);
      throw error;
    }
    return this.#connection;
  }

  async #drop(connection: Connection): Promise<void> {
    await connection.close();
  }
}
