import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { SandboxProcess } from '../../adapters/sandbox/port.ts';
import { tailText } from '../session/output.ts';

/** What takes messages out of lines, as the protocol's own library does. */
interface LineBuffer {
  append(chunk: Buffer): void;
  readMessage(): JSONRPCMessage | null;
}

const killMs = 1_000;
const keptBytes = 2_048;

/** The stdio transport for a program in a sandbox: a message is a line; lines that are none are passed over. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #process: SandboxProcess;
  readonly #buffer: LineBuffer;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  #stderr: Buffer = Buffer.alloc(0);
  #exitCode: number | undefined;
  #closed = false;

  constructor(process: SandboxProcess, buffer: LineBuffer) {
    this.#process = process;
    this.#buffer = buffer;
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
    try {
      for await (const chunk of this.#process.stdout) this.#take(Buffer.from(chunk));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch {
      // A line without an end: nothing good comes of this program.
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
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
