import { connectTo, ToolServerProblem, type Connection, type Way } from './connection.ts';

/** How often a server that ends again and again is started anew. */
const maxReconnections = 20;
const reconnectMs = 15_000;

/** A tool server's place in a session: its connection, which is made anew when it broke. */
export class ReconnectingServer {
  readonly #way: Way;
  #connection: Connection;
  #reconnecting: Promise<Connection> | undefined;
  #reconnections = 0;
  #closed = false;

  constructor(way: Way, connection: Connection) {
    this.#way = way;
    this.#connection = connection;
  }

  /**
   * Calls a tool; where the connection broke before the call went out, over a new one. A call that broke off is not
   * repeated: it may have done what it was to do. Rejects as {@link Connection.callTool} does.
   */
  async call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const connection = await this.#current(signal);
    try {
      return await connection.callTool(name, input, signal);
    } catch (error) {
      if (!(error instanceof ToolServerProblem) || !error.isForgotten) throw error;
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
    // Calls that come at once share one new connection; the turn's end ends it as well.
    this.#reconnecting ??= this.#reconnect(signal).finally(() => (this.#reconnecting = undefined));
    return this.#reconnecting;
  }

  async #reconnect(signal: AbortSignal): Promise<Connection> {
    if (this.#closed || this.#reconnections >= maxReconnections)
      throw new ToolServerProblem('The connection broke off, and was made anew too often.');
    this.#reconnections += 1;
    const late = AbortSignal.timeout(reconnectMs);
    try {
      this.#connection = await connectTo(this.#way, AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted)
        throw new ToolServerProblem(`The connection broke off, and none came within ${reconnectMs / 1_000} s.`);
      throw error;
    }
    return this.#connection;
  }

  async #drop(connection: Connection): Promise<void> {
    await connection.close();
  }
}
