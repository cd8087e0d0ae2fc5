import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Sandbox, SandboxProcess } from '../../adapters/sandbox/port.ts';
import { messageOf } from '../../lib/errors.ts';
import { collectTools, type OfferedTool } from './listing.ts';
import { ProcessTransport } from './process-transport.ts';

/** How a tool server is reached: through the gateway, or as a program in a sandbox. */
export type Way =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly start: () => Promise<SandboxProcess> };

/** One connection to a tool server. */
export interface Connection {
  readonly transport: 'http' | 'sse' | 'stdio';
  readonly server: { readonly name: string; readonly version: string; readonly protocolVersion: string };
  /** What it says about how to use it; `''` for nothing. */
  readonly instructions: string;
  readonly isOpen: boolean;
  listTools(signal: AbortSignal): Promise<{ tools: OfferedTool[]; left: number }>;
  /** Its answer as it came. Rejects with {@link ToolServerProblem}, or with the signal's reason. */
  callTool(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Why a tool server is of no use now, in a sentence; it may hold what the server said, so it is to be masked. */
export class ToolServerProblem extends Error {
  /** What the gateway refused it for, as in `x-guildhall-refused`; `''` when it was not the gateway. */
  readonly refused: string;
  /** The server does not know the session any more, so the call did not happen. */
  readonly isForgotten: boolean;

  constructor(message: string, options: { refused?: string; isForgotten?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ToolServerProblem';
    this.refused = options.refused ?? '';
    this.isForgotten = options.isForgotten ?? false;
  }
}

/** How long a call may go without a sign of life, and how long it may last with one. */
const idleMs = 60_000;
const longestMs = 15 * 60_000;
const goodbyeMs = 500;
const maxInstructions = 4_000;

/** Loaded before the first connection, so that a worker without tool servers stays small. */
export async function loadToolClient() {
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
type Sdk = Awaited<ReturnType<typeof loadToolClient>>;

/**
 * Connects to a tool server: by URL over streamable HTTP, or over SSE where the server knows only that. Rejects with
 * {@link ToolServerProblem}, the signal's reason, or as a sandbox that is lost does.
 */
export async function connectTo(way: Way, signal: AbortSignal): Promise<Connection> {
  const sdk = await loadToolClient();
  signal.throwIfAborted();
  if ('start' in way) {
    const starting = way.start();
    const process = await unlessAborted(starting, signal).catch((error: unknown) => {
      // Nobody waits for it any more.
      void starting.then(
        (late) => late.kill('SIGKILL'),
        () => undefined,
      );
      throw error;
    });
    const transport = new ProcessTransport(process, sdk.deserializeMessage);
    return open(sdk, { name: 'stdio', transport, why: () => transport.end }, signal);
  }
  const url = new URL(way.url);
  let refusal: ToolServerProblem | undefined;
  const refusing = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, { ...init, redirect: 'error' });
    const refused = response.headers.get('x-guildhall-refused');
    // The gateway's own refusals are told apart from what the server says.
    if (refused === null) return response;
    refusal = new ToolServerProblem((await response.text()).trim(), { refused });
    throw refusal;
  };
  const options = { requestInit: { headers: { ...way.headers } }, fetch: refusing };
  try {
    const transport = new sdk.StreamableHTTPClientTransport(url, options);
    return await open(sdk, { name: 'http', transport, goodbye: () => transport.terminateSession() }, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolServerProblem) || !(error.cause instanceof sdk.StreamableHTTPError))
      throw error;
    // As the protocol has it for servers from before streamable HTTP.
    const { code = 0 } = error.cause;
    if (code < 400 || code > 499 || code === 401 || code === 403 || code === 429) throw error;
    const transport = new sdk.SSEClientTransport(url, options);
    return open(sdk, { name: 'sse', transport, why: () => refusal?.message ?? '' }, signal);
  }
}

/** Starts the program of a tool server. One that is not there ends like any other: that is no fault of the sandbox. */
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
  /** What is known about its end; `''` for nothing. */
  why?(): string;
  goodbye?(): Promise<void>;
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
    this.#client.onclose = () => (this.#isOpen = false);
    this.#client.onerror = () => {
      // A stream of the older transport that broke off is another session when it comes back.
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
    if (this.#client.getServerCapabilities()?.tools === undefined) return { tools: [], left: 0 };
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
    // Whoever takes progress asks for signs of life.
    const signs = { resetTimeoutOnProgress: true, onprogress: () => undefined };
    const options = { signal, timeout: idleMs, maxTotalTimeout: longestMs, ...signs };
    return this.#guarded(signal, () =>
      this.#client.request({ method: 'tools/call', params }, this.#sdk.ResultSchema, options),
    );
  }

  async close(): Promise<void> {
    const { goodbye } = this.#opening;
    if (this.#isOpen && goodbye !== undefined) await settledWithin(goodbye(), goodbyeMs);
    await settledWithin(this.#client.close(), goodbyeMs);
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
    return problemOf(this.#sdk, this.#opening, error);
  }
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  promise.catch(() => undefined);
  signal.throwIfAborted();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Waits for something that nobody needs, and not for long. */
async function settledWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise.catch(() => undefined), late]);
  clearTimeout(timer);
}

function problemOf(sdk: Sdk, { name, why }: Opening, error: unknown): ToolServerProblem {
  if (error instanceof ToolServerProblem) return error;
  const known = why?.() ?? '';
  if (known !== '') return new ToolServerProblem(known, { cause: error });
  if (error instanceof sdk.StreamableHTTPError) {
    const { code = 0, message } = error;
    const words = code > 0 ? `It answered with status ${code}.` : message;
    return new ToolServerProblem(words, { isForgotten: code === 404, cause: error });
  }
  if (error instanceof sdk.McpError) {
    if (error.code === sdk.ErrorCode.RequestTimeout.valueOf())
      return new ToolServerProblem(`It said nothing for ${idleMs / 1_000} s.`);
    if (error.code === sdk.ErrorCode.ConnectionClosed.valueOf())
      return new ToolServerProblem('The connection broke off.');
  }
  const said = messageOf(error);
  return new ToolServerProblem(name === 'stdio' ? said : said.replace(/^(?:SSE error: )+/, ''), { cause: error });
}
