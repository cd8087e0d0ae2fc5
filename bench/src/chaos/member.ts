import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const root = join(import.meta.dirname, '../../..');
const nodeFlags = ['--max-semi-space-size=4'];
/** The pause after a failed start, as of a service manager. */
const retryMs = 500;
const stopWithinMs = 40_000;

/** A period in which a process was up: from its ready line to its end, in milliseconds since the epoch. */
export interface UpTime {
  from: number;
  to: number;
}

export interface MemberOptions {
  name: string;
  args: string[];
  env: Record<string, string>;
  logFile: string;
  /** Milliseconds that it stays down after a kill. */
  pauseMs: () => number;
}

/** A Guildhall process that is restarted whenever it ends, as by a service manager. */
export interface Member {
  readonly name: string;
  /** Undefined while it is down. */
  pid(): number | undefined;
  isReady(): boolean;
  /** Sends SIGSTOP: it asks the database for nothing more until it is resumed or killed. */
  pause(): void;
  resume(): void;
  /** Sends SIGKILL; returns the process id, undefined while it is down. */
  kill(): number | undefined;
  /** Resolves when it is ready, if necessary after the next start. */
  ready(): Promise<void>;
  readonly upTimes: readonly UpTime[];
  /** Unexpected ends after it was ready. */
  readonly surprises: readonly string[];
  /** Number of failed starts, which may happen while the database is down. */
  failedStarts(): number;
  /** Sends SIGTERM, later SIGKILL; resolves when it has ended. */
  stop(): Promise<void>;
  /** Kills it without waiting, when there is no time for a clean end. */
  abandon(): void;
}

/** Starts a process in its own process session, so that Ctrl-C does not reach it directly. */
export function startMember(options: MemberOptions): Member {
  const member = new KeptMember(options);
  member.begin();
  return member;
}

class KeptMember implements Member {
  readonly name: string;
  readonly upTimes: UpTime[] = [];
  readonly surprises: string[] = [];
  readonly #options: MemberOptions;
  #child: ChildProcess | undefined;
  #ready = Promise.withResolvers<void>();
  #isReady = false;
  #killed = false;
  #failedStarts = 0;
  readonly #stopping = new AbortController();
  #kept: Promise<void> = Promise.resolve();

  constructor(options: MemberOptions) {
    this.name = options.name;
    this.#options = options;
  }

  begin(): void {
    this.#kept = this.#keep();
  }

  pid(): number | undefined {
    return this.#child?.pid;
  }

  isReady(): boolean {
    return this.#isReady;
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  failedStarts(): number {
    return this.#failedStarts;
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  kill(): number | undefined {
    const child = this.#child;
    if (child?.pid === undefined) return undefined;
    this.#killed = true;
    child.kill('SIGKILL');
    this.#down();
    return child.pid;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    child?.kill('SIGTERM');
    const force = setTimeout(() => child?.kill('SIGKILL'), stopWithinMs);
    await this.#kept;
    clearTimeout(force);
  }

  abandon(): void {
    this.#stopping.abort();
    this.#child?.kill('SIGKILL');
  }

  async #keep(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#killed = false;
      const exit = await this.#runOnce();
      if (this.#stopping.signal.aborted) return;
      if (!this.#killed) this.#complain(exit);
      await delay(this.#killed ? this.#options.pauseMs() : retryMs, undefined, { signal: this.#stopping.signal }).catch(
        () => undefined,
      );
    }
  }

  #complain({ wasReady, how }: { wasReady: boolean; how: string }): void {
    if (wasReady) this.surprises.push(`${new Date().toISOString()} ${this.name} ended unexpectedly (${how})`);
    else this.#failedStarts += 1;
  }

  async #runOnce(): Promise<{ wasReady: boolean; how: string }> {
    const { args, env, logFile } = this.#options;
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, [...nodeFlags, join(root, 'server/src/main.ts'), '--json', ...args], {
      cwd: root,
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: 'node_modules/.cache/compile',
        GUILDHALL_METRICS_PORT: '0',
        GUILDHALL_PROCESSES: '1',
        ...env,
      },
      stdio: ['ignore', 'pipe', log],
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    const exited = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('"event":"ready"') && !this.#killed) this.#up();
      });
    const how = await exited;
    const wasReady = this.#isReady;
    this.#child = undefined;
    this.#down();
    return { wasReady, how };
  }

  #up(): void {
    this.#isReady = true;
    this.upTimes.push({ from: Date.now(), to: Infinity });
    this.#ready.resolve();
  }

  #down(): void {
    if (!this.#isReady) return;
    this.#isReady = false;
    const current = this.upTimes.at(-1);
    if (current !== undefined) current.to = Date.now();
    this.#ready = Promise.withResolvers<void>();
  }
}
