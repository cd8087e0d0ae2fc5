import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { SystemError, type PosixSpawn } from './posix-spawn.ts';

export interface Given {
  file: string;
  args: readonly string[];
  /** Variables as `NAME=value`. */
  env: readonly string[];
  cwd: string | undefined;
  /** By descriptor: a pipe, or a descriptor of this process to inherit. */
  stdio: readonly ('pipe' | number)[];
}

interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface Events {
  exit: [code: number | null, signal: NodeJS.Signals | null];
  close: [code: number | null, signal: NodeJS.Signals | null];
  error: [error: Error];
}

/** A child process, with sockets as its pipes. */
class Child extends EventEmitter<Events> {
  readonly pid: number | undefined;
  readonly stdio: readonly (Socket | null)[];
  readonly stdin: Socket | null;
  readonly stdout: Socket | null;
  readonly stderr: Socket | null;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  /** Number of open pipes, and one for the process. */
  #open = 1;

  constructor(pid: number | undefined, pipes: readonly (number | undefined)[]) {
    super();
    this.pid = pid;
    this.stdio = pipes.map((descriptor, number) => (descriptor === undefined ? null : pipe(descriptor, number)));
    [this.stdin = null, this.stdout = null, this.stderr = null] = this.stdio;
    for (const socket of this.stdio) {
      if (socket === null) continue;
      this.#open += 1;
      socket.once('close', () => this.#close());
    }
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (this.pid === undefined || this.exitCode !== null || this.signalCode !== null) return false;
    return process.kill(this.pid, signal);
  }

  /** The process has ended. */
  end({ code, signal }: End): void {
    this.exitCode = code;
    this.signalCode = signal;
    this.stdin?.destroy();
    this.emit('exit', code, signal);
    // What nobody reads would keep a pipe open.
    for (const socket of this.stdio.slice(1)) if (socket?.readableFlowing === null) socket.resume();
    this.#close();
  }

  #close(): void {
    this.#open -= 1;
    if (this.#open === 0) this.emit('close', this.exitCode, this.signalCode);
  }
}

/** The program reads the first and writes the next two; others go in both directions. */
function pipe(descriptor: number, number: number): Socket {
  return new Socket({ fd: descriptor, readable: number !== 0, writable: number !== 1 && number !== 2 });
}

/** Signals may come together. The interval also keeps this process alive while it has children. */
const lookEveryMs = 1_000;

/** Node tells of its children there. */
const starts = channel('child_process');

/** The children of this process that were started here. */
export class Children {
  readonly #library: PosixSpawn;
  readonly #running = new Map<number, Child>();
  #timer: NodeJS.Timeout | undefined;

  constructor(library: PosixSpawn) {
    this.#library = library;
    process.on('SIGCHLD', () => this.#look());
  }

  /** Returns a child without a process id, and with an `error` event to come, if the program does not start. */
  start({ file, args, env, cwd, stdio }: Given): Child {
    const library = this.#library;
    const pipes: (number | undefined)[] = [];
    const theirs: number[] = [];
    try {
      for (const one of stdio) {
        const [own, their] = one === 'pipe' ? library.socketPair() : [undefined, one];
        pipes.push(own);
        theirs.push(their);
      }
      const pid = library.start(file, args, { env, ...(cwd === undefined ? {} : { cwd }), descriptors: theirs });
      const child = new Child(pid, pipes);
      this.#running.set(pid, child);
      starts.publish({ process: child });
      this.#timer ??= setInterval(() => this.#look(), lookEveryMs);
      return child;
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      const child = new Child(undefined, pipes);
      process.nextTick(() => child.emit('error', startError(file, error)));
      return child;
    } finally {
      for (const [number, their] of theirs.entries()) if (pipes[number] !== undefined) library.close(their);
    }
  }

  #look(): void {
    for (const [pid, child] of this.#running) {
      const end = this.#library.ended(pid);
      if (end === undefined) continue;
      this.#running.delete(pid);
      child.end(end);
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function startError(file: string, { call, errno }: SystemError): Error {
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(`${call} ${file} ${code}`), { code, errno: -errno, syscall: call, path: file });
}
