import { ProviderError } from '../../../lib/errors.ts';
import type { ExecOptions, ExecResult } from '../port.ts';
import type { Connection } from './connection.ts';
import { InputPump } from './input.ts';
import type { SupervisorEvent } from './protocol.ts';
import { Tail } from './tail.ts';

/** Information of the driver that the supervisor lacks. */
export interface ExecSurroundings {
  cwd: string;
  /** Returns the number of processes of the sandbox killed for lack of memory so far. */
  oomKills(): number;
  /** Called if the supervisor does not respond long after the command's timeout. */
  onStuck(detail: string): void;
}

const defaultKeepBytes = 64 * 1024;
/** The time in milliseconds after a command's timeout to report its end: the kill, the grace and a busy machine. */
const answerMs = 15_000;

/** Runs a command to its end through a supervisor. Rejects with the signal's reason, or when the sandbox is lost. */
export function exec(
  connection: Connection,
  surroundings: ExecSurroundings,
  options: ExecOptions,
): Promise<ExecResult> {
  if (options.signal?.aborted === true) return Promise.reject(toError(options.signal.reason));
  return new Execution(connection, surroundings, options).result;
}

class Execution {
  readonly #connection: Connection;
  readonly #surroundings: ExecSurroundings;
  readonly #options: ExecOptions;
  readonly #settled = Promise.withResolvers<ExecResult>();
  readonly #tails: { stdout: Tail; stderr: Tail };
  readonly #killsBefore: number;
  readonly #id: number;
  readonly #input: InputPump | undefined;
  readonly #deadline: NodeJS.Timeout;
  readonly #onAbort = () => this.#abandon(toError(this.#options.signal?.reason));

  constructor(connection: Connection, surroundings: ExecSurroundings, options: ExecOptions) {
    this.#connection = connection;
    this.#surroundings = surroundings;
    this.#options = options;
    const keepBytes = options.keepBytes ?? defaultKeepBytes;
    this.#tails = { stdout: new Tail(keepBytes), stderr: new Tail(keepBytes) };
    this.#killsBefore = surroundings.oomKills();
    this.#deadline = setTimeout(() => this.#giveUp(), options.timeoutMs + answerMs);
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#id = connection.open({ event: (event) => this.#hear(event), lost: (error) => this.#reject(error) });
    connection.send({
      op: 'run',
      id: this.#id,
      command: commandOf(options),
      cwd: options.cwd ?? surroundings.cwd,
      env: options.env ?? {},
      timeout_ms: options.timeoutMs,
      stdin: options.stdin !== undefined,
    });
    if (options.stdin !== undefined) {
      this.#input = new InputPump(connection, this.#id);
      this.#input.writeAll(Buffer.from(options.stdin));
    }
  }

  get result(): Promise<ExecResult> {
    return this.#settled.promise;
  }

  #hear(event: SupervisorEvent): void {
    if (event.event === 'output') this.#output(event.stream, event.data);
    else if (event.event === 'stdin_taken') this.#input?.taken(event.bytes);
    else if (event.event === 'failed') {
      this.#tails.stderr.push(Buffer.from(`${event.message}\n`));
      // A shell's codes for: not found, and found but not executable.
      this.#resolve({
        exitCode: event.code === 'ENOENT' ? 127 : 126,
        timedOut: false,
        outOfMemory: false,
        durationMs: 0,
      });
    } else if (event.event === 'exit') {
      const outOfMemory = this.#surroundings.oomKills() > this.#killsBefore;
      this.#resolve({ ...event, outOfMemory: outOfMemory && event.exitCode !== 0 });
    }
  }

  #output(stream: 1 | 2, data: Buffer): void {
    const name = stream === 1 ? 'stdout' : 'stderr';
    this.#tails[name].push(data);
    this.#connection.send({ op: 'taken', id: this.#id, stream, bytes: data.length });
    try {
      this.#options.onOutput?.(name, data);
    } catch (error) {
      this.#abandon(toError(error));
    }
  }

  #resolve(end: { exitCode: number; timedOut: boolean; outOfMemory: boolean; durationMs: number }): void {
    this.#finish();
    const { stdout, stderr } = this.#tails;
    this.#settled.resolve({
      exitCode: end.exitCode,
      timedOut: end.timedOut,
      outOfMemory: end.outOfMemory,
      durationMs: end.durationMs,
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      stdoutBytes: stdout.totalBytes,
      stderrBytes: stderr.totalBytes,
    });
  }

  #reject(error: Error): void {
    this.#finish();
    this.#settled.reject(error);
  }

  #abandon(error: Error): void {
    this.#connection.send({ op: 'signal', id: this.#id, signal: 'SIGKILL' });
    this.#reject(error);
  }

  #giveUp(): void {
    const detail = `its supervisor did not report the end of a command ${answerMs / 1000} s after the timeout`;
    this.#reject(new ProviderError(`The sandbox is stuck: ${detail}`, { retryable: true }));
    this.#surroundings.onStuck(detail);
  }

  #finish(): void {
    clearTimeout(this.#deadline);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#connection.close(this.#id);
    this.#input?.close();
  }
}

function commandOf({ command }: ExecOptions): string[] {
  return typeof command === 'string' ? ['bash', '-c', command] : command;
}

/** Converts an abort's reason to an Error. */
export function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
