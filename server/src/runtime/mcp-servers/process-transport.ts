import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { SandboxProcess } from '../../adapters/sandbox/port.ts';
import { excessOf } from '../../lib/json-limits.ts';
import { LineSplitter } from '../../lib/lines.ts';
import { pace } from '../../lib/pace.ts';
import { tailText } from '../session/log/output.ts';

/** The same limits that the gateway applies over HTTP. */
const maxMessageBytes = 8 * 1_048_576;
const messageLimits = { values: 50_000, depth: 500 };
const killMs = 1_000;
const keptBytes = 2_048;

/** MCP's stdio transport for a program in a sandbox: one message per line; other lines are ignored. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #process: SandboxProcess;
  readonly #parse: (line: string) => JSONRPCMessage;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  #stderr: Buffer = Buffer.alloc(0);
  #exitCode: number | undefined;
  #closed = false;

  /** `parse` throws on a line that is not a message. */
  constructor(process: SandboxProcess, parse: (line: string) => JSONRPCMessage) {
    this.#process = process;
    this.#parse = parse;
    this.#stdin = process.stdin.getWriter();
    // Closing is reported by the exit of the process.
    this.#stdin.closed.catch(() => undefined);
  }

  async start(): Promise<void> {
    void this.#read();
    void this.#readStderr();
    void this.#process.exited.then(
      ({ exitCode }) => this.#ended(exitCode),
      () => this.#ended(undefined),
    );
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#stdin.write(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  async close(): Promise<void> {
    this.#stdin.close().catch(() => undefined);
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), killMs);
    void this.#process.exited.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    );
    this.#ended(this.#exitCode);
  }

  /** A sentence with the program's exit code and last output; `''` while it runs. */
  get end(): string {
    if (this.#exitCode === undefined) return '';
    const said = tailText(this.#stderr, 500).trim();
    return `The program ended with exit code ${this.#exitCode}${said === '' ? '.' : `: ${said}`}`;
  }

  async #read(): Promise<void> {
    const lines = new LineSplitter(maxMessageBytes);
    try {
      for await (const chunk of this.#process.stdout)
        for (const line of lines.push(Buffer.from(chunk))) await this.#take(line);
    } catch {
      // A message exceeds a limit: the program is broken or hostile.
      void this.close();
    }
  }

  async #take(line: Buffer): Promise<void> {
    const excess = excessOf(line, messageLimits);
    if (excess !== undefined) throw new Error(`a message ${excess}`);
    // Parsing a message of several MiB takes time: let other work run in between.
    await pace();
    try {
      this.onmessage?.(this.#parse(line.toString('utf8')));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #readStderr(): Promise<void> {
    try {
      for await (const chunk of this.#process.stderr)
        this.#stderr = Buffer.concat([this.#stderr, Buffer.from(chunk)]).subarray(-keptBytes);
    } catch {
      // stderr serves only the message about the program's end.
    }
  }

  #ended(exitCode: number | undefined): void {
    this.#exitCode ??= exitCode;
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}
