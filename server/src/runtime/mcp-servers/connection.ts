import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Sandbox, SandboxProcess } from '../../adapters/sandbox/port.ts';
import { messageOf } from '../../lib/errors.ts';
import { createSpeedLimit } from '../../lib/speed-limit.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { collectTools, type ListedTool } from './tool-list.ts';
import { ProcessTransport } from './process-transport.ts';
import { limitAnswers } from './traffic-limits.ts';

/** Address of an MCP server: a URL through the gateway, or a program in a sandbox. */
export type ServerAddress =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly start: () => Promise<SandboxProcess> };

/** One connection to an MCP server. */
export interface Connection {
  readonly transport: 'http' | 'sse' | 'stdio';
  readonly server: { readonly name: string; readonly version: string; readonly protocolVersion: string };
  /** The server's usage instructions; `''` for none. */
  readonly instructions: string;
  readonly isOpen: boolean;
  listTools(signal: AbortSignal): Promise<{ tools: ListedTool[]; omitted: number }>;
  /** Returns the raw result. Rejects with {@link McpServerError}, or with the signal's reason. */
  callTool(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Failure of an MCP server. The message is a sentence that may quote the server, so it must be masked. */
export class McpServerError extends Error {
  /** The gateway's reason for a refusal, as in `x-guildhall-refused`; `''` if the gateway did not refuse. */
  readonly refused: string;
  /** The server has dropped the MCP session, so the call did not happen. */
  readonly isForgotten: boolean;

  constructor(message: string, options: { refused?: string; isForgotten?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'McpServerError';
    this.refused = options.refused ?? '';
    this.isForgotten = options.isForgotten ?? false;
  }
}

/** Limits for a call without progress notifications, and with them. */
const idleMs = 60_000;
const longestMs = 15 * 60_000;
const closeMs = 500;
const maxInstructions = 4_000;

/** Loads the client on the first connection, so that a worker without MCP servers saves the memory. */
export async function loadMcpClient() {
  const [{ Client }, { StreamableHTTPClientTransport, StreamableHTTPError }, { SSEClientTransport }, stdio, types] =
    await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      import('@modelcontextprotocol/sdk/client/sse.js'),
      import('@modelcontextprotocol/sdk/shared/stdio.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
  const { ErrorCode, McpError, ResultSchema } = types;
  const { deserializeMessage } = stdio;
  return {
    Client,
    StreamableHTTPClientTransport,
    StreamableHTTPError,
    SSEClientTransport,
    deserializeMessage,
    ErrorCode,
    McpError,
    ResultSchema,
  };
}
type Sdk = Awaited<ReturnType<typeof loadMcpClient>>;

/**
 * Connects to an MCP server, over streamable HTTP with a fallback to SSE, or over stdio. Rejects with
 * {@link McpServerError}, with the signal's reason, or for a lost sandbox.
 */
export async function connectTo(way: ServerAddress, signal: AbortSignal): Promise<Connection> {
  const sdk = await loadMcpClient();
  signal.throwIfAborted();
  if ('start' in way) {
    const starting = way.start();
    const process = await unlessAborted(starting, signal).catch((error: unknown) => {
      // The caller no longer waits for the process.
      void starting.then(
        (late) => late.kill('SIGKILL'),
        () => undefined,
      );
      throw error;
    });
    const transport = new ProcessTransport(process, sdk.deserializeMessage);
    return open(sdk, { name: 'stdio', transport, endReason: () => transport.end }, signal);
  }
  const url = new URL(way.url);
  let refusal: McpServerError | undefined;
  // A client opens a stream again as soon as its server wants, which ended it.
  const streams = createSpeedLimit({ perSecond: 1, burst: 1 });
  const refusing = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    if ((init?.method ?? 'GET') === 'GET') await streams();
    const response = await fetch(input, { ...init, redirect: 'error' });
    const refused = response.headers.get('x-guildhall-refused');
    // The header tells the gateway's refusals from the server's responses.
    if (refused === null) return response;
    refusal = new McpServerError((await response.text()).trim(), { refused });
    throw refusal;
  };
  const options = { requestInit: { headers: { ...way.headers } }, fetch: refusing };
  try {
    const transport = new sdk.StreamableHTTPClientTransport(url, options);
    return await open(sdk, { name: 'http', transport, endSession: () => transport.terminateSession() }, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof McpServerError) || !(error.cause instanceof sdk.StreamableHTTPError))
      throw error;
    // The protocol's fallback for servers without streamable HTTP.
    const { code = 0 } = error.cause;
    if (code < 400 || code > 499 || code === 401 || code === 403 || code === 429) throw error;
    const transport = new sdk.SSEClientTransport(url, options);
    return open(sdk, { name: 'sse', transport, endReason: () => refusal?.message ?? '' }, signal);
  }
}

/** Starts an MCP server's program through bash, so that a missing command is an exit and not a failure of the sandbox. */
export function spawnServer(
  sandbox: Sandbox,
  { command, args, env }: { command: string; args: readonly string[]; env: Record<string, string> },
): Promise<SandboxProcess> {
  return sandbox.spawn({
    command: ['bash', '-c', 'exec "$@"', 'tool-server', command, ...args],
    cwd: sandbox.workspace,
    env,
  });
}

interface Opening {
  readonly name: Connection['transport'];
  readonly transport: Transport;
  /** Returns the known reason for its end; `''` if unknown. */
  endReason?(): string;
  endSession?(): Promise<void>;
}

async function open(sdk: Sdk, opening: Opening, signal: AbortSignal): Promise<Connection> {
  const connection = new OpenConnection(sdk, opening);
  await connection.begin(signal);
  return connection;
}

class OpenConnection implements Connection {
  readonly transport: Connection['transport'];
  readonly #sdk: Sdk;
  readonly #opening: Opening;
  readonly #client: Client;
  #isOpen = true;
  #protocolVersion = '';

  constructor(sdk: Sdk, opening: Opening) {
    this.transport = opening.name;
    this.#sdk = sdk;
    this.#opening = opening;
    this.#client = new sdk.Client({ name: 'guildhall', version: '0.1.0' }, { capabilities: {} });
  }

  async begin(signal: AbortSignal): Promise<void> {
    const { transport, name } = this.#opening;
    const setVersion = transport.setProtocolVersion?.bind(transport);
    transport.setProtocolVersion = (version) => {
      this.#protocolVersion = version;
      setVersion?.(version);
    };
    limitAnswers(transport);
    this.#client.onclose = () => (this.#isOpen = false);
    this.#client.onerror = () => {
      // An SSE stream that breaks cannot resume its session.
      if (name === 'sse' && this.#protocolVersion !== '') void this.#client.close();
    };
    try {
      await unlessAborted(this.#client.connect(transport, { signal, timeout: longestMs }), signal);
    } catch (error) {
      await this.#client.close().catch(() => undefined);
      signal.throwIfAborted();
      throw this.#problem(error);
    }
  }

  get server() {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    return { name, version, protocolVersion: this.#protocolVersion };
  }

  get instructions() {
    return (this.#client.getInstructions() ?? '').toWellFormed().slice(0, maxInstructions);
  }

  get isOpen() {
    return this.#isOpen;
  }

  async listTools(signal: AbortSignal) {
    if (this.#client.getServerCapabilities()?.tools === undefined) return { tools: [], omitted: 0 };
    const options = { signal, timeout: idleMs };
    return this.#guarded(signal, () =>
      collectTools((cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        return this.#client.request({ method: 'tools/list', params }, this.#sdk.ResultSchema, options);
      }),
    );
  }

  async callTool(name: string, input: Record<string, unknown>, signal: AbortSignal) {
    const params = { name, arguments: input };
    // Asks the server for progress notifications, which reset the timeout.
    const signs = { resetTimeoutOnProgress: true, onprogress: () => undefined };
    const options = { signal, timeout: idleMs, maxTotalTimeout: longestMs, ...signs };
    return this.#guarded(signal, () =>
      this.#client.request({ method: 'tools/call', params }, this.#sdk.ResultSchema, options),
    );
  }

  async close(): Promise<void> {
    const { endSession } = this.#opening;
    if (this.#isOpen && endSession !== undefined) await settledWithin(endSession(), closeMs);
    await settledWithin(this.#client.close(), closeMs);
  }

  async #guarded<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    try {
      return await unlessAborted(ask(), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#problem(error);
    }
  }

  #problem(error: unknown): Error {
    return toMcpServerError(this.#sdk, this.#opening, error);
  }
}

/** Waits for a promise to settle, for at most `ms`. */
async function settledWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise.catch(() => undefined), late]);
  clearTimeout(timer);
}

function toMcpServerError(sdk: Sdk, { name, endReason }: Opening, error: unknown): McpServerError {
  if (error instanceof McpServerError) return error;
  const known = endReason?.() ?? '';
  if (known !== '') return new McpServerError(known, { cause: error });
  if (error instanceof sdk.StreamableHTTPError) {
    const { code = 0, message } = error;
    const words = code > 0 ? `The server answered with status ${code}.` : message;
    return new McpServerError(words, { isForgotten: code === 404, cause: error });
  }
  if (error instanceof sdk.McpError) {
    if (error.code === sdk.ErrorCode.RequestTimeout.valueOf())
      return new McpServerError(`The server did not respond for ${idleMs / 1_000} s.`);
    if (error.code === sdk.ErrorCode.ConnectionClosed.valueOf()) return new McpServerError('The connection was lost.');
  }
  const said = messageOf(error);
  return new McpServerError(name === 'stdio' ? said : said.replace(/^(?:SSE error: )+/, ''), { cause: error });
}
