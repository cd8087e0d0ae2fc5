import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { SandboxProcess } from '../../adapters/sandbox/port.ts';
import { excessOf } from '../../lib/json-limits.ts';
import { LineSplitter } from '../../lib/lines.ts';
import { pace } from '../../lib/pace.ts';
import { tailText } from '../session/log/output.ts';

/** As over HTTP, where the gateway holds answers to the same. */
const maxMessageBytes = 8 * 1_048_576;
const messageLimits = { values: 50_000, depth: 500 };
const killMs = 1_000;
const keptBytes = 2_048;

/** The stdio transport for a program in a sandbox: a message is a line; lines that are none are passed over. */
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

  /** `parse` throws on a line that is no message. */
  constructor(process: SandboxProcess, parse: (line: string) => JSONRPCMessage) {
    this.#process = process;
    this.#parse = parse;
    this.#stdin = process.stdin.getWriter();
    // A program that ended takes nothing more; that it ended is told otherwise.
    this.#stdin.closed.catch(() => undefined);
  }

  async start(): Promise<void> {
    void this.#read();
    void this.#listen();
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

  /** How the program ended and what it said last, in a sentence; `''` while it runs. */
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
      // A line without an end, or too much in one: nothing good comes of this program.
      void this.close();
    }
  }

  async #take(line: Buffer): Promise<void> {
    const excess = excessOf(line, messageLimits);
    if (excess !== undefined) throw new Error(`a message ${excess}`);
    // To look at a message of many MiB takes its time: others have their turn in between.
    await pace();
    try {
      this.onmessage?.(this.#parse(line.toString('utf8')));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #listen(): Promise<void> {
    try {
      for await (const chunk of this.#process.stderr)
        this.#stderr = Buffer.concat([this.#stderr, Buffer.from(chunk)]).subarray(-keptBytes);
    } catch {
      // It is for the message about its end alone.
    }
  }

  #ended(exitCode: number | undefined): void {
    this.#exitCode ??= exitCode;
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}
