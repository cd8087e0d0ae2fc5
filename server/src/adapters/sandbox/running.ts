import { isAbsolute } from 'node:path';
import { Duplex } from 'node:stream';
import { ProviderError } from '../../lib/errors.ts';
import type { Program } from '../../lib/spawn/spawn.ts';
import type { GatewayAddress, LayerId, Sandbox, SandboxEnd, SandboxOptions } from './port.ts';
import type { SandboxDirectories } from './sandbox-directories.ts';
import { Connection, type SupervisorTimings } from './supervisor/connection.ts';
import { connect } from './supervisor/connect.ts';
import { exec, toError } from './supervisor/exec.ts';
import { copyIn, copyOut, readFile, writeFile } from './supervisor/files.ts';
import { spawn } from './supervisor/spawn.ts';
import { openTerminal } from './supervisor/terminal.ts';

/** A supervisor that a driver has started, and the driver's functions for its sandbox. */
export interface Launched {
  id: string;
  process: Program;
  /** File descriptor of its socket to the worker. */
  line: number;
  workspace: string;
  home: string;
  /** A directory inside, in memory. */
  secrets: string;
  /** The directory of the supervisor's files, inside. */
  programs: string;
  init: {
    env: Record<string, string>;
    port: number;
    gateway: GatewayAddress | undefined;
    /** Number of threads that fit into the sandbox; 0 if the supervisor must not limit them. */
    roomFor: number;
  };
  oomKills(): number;
  /** Kills all processes of the sandbox at once. */
  kill(): void;
  /** Called once when the first process has ended: kills remaining processes and frees everything but the files and the claim. */
  release(): Promise<void>;
  directories: Pick<SandboxDirectories, 'close' | 'remove' | 'removeClaimed'>;
  saveLayer(): Promise<LayerId>;
}

/** A sandbox, and a function with which the driver ends it. */
export interface Running {
  sandbox: Sandbox;
  end(reason: SandboxEnd['reason'], detail: string): Promise<void>;
}

/** Long enough for a machine with many times more work than processors. */
const startWithinMs = 60_000;
const defaultMaxBytes = 16 * 1024 * 1024;
const maxErrorOutput = 2_000;

interface SuperviseOptions extends Pick<SandboxOptions, 'signal' | 'onNotice'> {
  timings: Readonly<SupervisorTimings>;
}

/** Waits until the supervisor has started. On failure it releases everything and throws. */
export async function superviseSandbox(
  launched: Launched,
  { signal, onNotice = () => undefined, timings }: SuperviseOptions,
): Promise<Running> {
  const life = new Lifecycle(launched, onNotice, timings);
  const { init } = launched;
  life.connection.send({
    op: 'init',
    env: init.env,
    port: init.port,
    ...(init.gateway === undefined ? {} : { gateway: init.gateway }),
    room_for: init.roomFor,
  });
  try {
    const port = await withinStart(life.connection.ready, signal);
    return { sandbox: sandboxOf(launched, life, port), end: (reason, detail) => life.end(reason, detail) };
  } catch (error) {
    await life.end('crashed', 'it failed to start');
    if (!(error instanceof ProviderError)) throw error;
    const why = life.errorOutput.trim() || error.message;
    throw new ProviderError(`The sandbox ${launched.id} failed to start: ${why}`, { retryable: true, cause: error });
  }
}

function sandboxOf(launched: Launched, life: Lifecycle, port: number): Sandbox {
  const { workspace, home } = launched;
  const { connection } = life;
  const onStuck = (detail: string) => void life.end('crashed', detail);
  const oomKills = () => life.oomKills();
  const surroundings = { cwd: workspace, oomKills, onStuck };
  const line = { connection, oomKills, onStuck };
  const absolute = (path: string) => (isAbsolute(path) ? path : `${workspace}/${path}`);
  let removed: Promise<void> | undefined;
  return {
    id: launched.id,
    gatewayUrl: port === 0 ? '' : `http://127.0.0.1:${port}`,
    workspace,
    home,
    ended: life.ended,
    exec: (options) => exec(connection, surroundings, options),
    spawn: (options) => spawn(line, workspace, options),
    openTerminal: (options) => openTerminal(line, { programs: launched.programs, cwd: workspace }, options),
    connect: (asked) => connect(line, asked),
    readFile: (path, options) => readFile(line, absolute(path), options?.maxBytes ?? defaultMaxBytes),
    copyOut: (path, hostPath, { maxBytes }) => copyOut(line, absolute(path), hostPath, maxBytes),
    copyIn: (hostPath, path, options) => copyIn(line, hostPath, absolute(path), { mode: options?.mode ?? 0o644 }),
    writeFile: (path, content, options) =>
      writeFile(line, absolute(path), typeof content === 'string' ? Buffer.from(content) : content, {
        mode: options?.mode ?? 0o644,
      }),
    async writeSecrets(values) {
      const paths: Record<string, string> = {};
      for (const [name, value] of Object.entries(values)) {
        if (!/^[A-Za-z_][A-Za-z0-9_]{0,255}$/.test(name))
          throw new ProviderError(`${JSON.stringify(name)} cannot name a secret`, { retryable: false });
        paths[name] = `${launched.secrets}/${name}`;
        await writeFile(line, paths[name], Buffer.from(value), { mode: 0o400, replace: true });
      }
      return paths;
    },
    async saveLayer() {
      life.assertRunning();
      return launched.saveLayer();
    },
    stop: () => life.end('stopped', 'it was stopped'),
    async destroy() {
      await life.end('destroyed', 'it was destroyed');
      const { reason } = await life.ended;
      removed ??= launched.directories[reason === 'stopped' ? 'remove' : 'removeClaimed'](launched.id);
      await removed;
    },
  };
}

/** Lifecycle of a sandbox's first process, from its start to its end for a single reason. */
class Lifecycle {
  readonly connection: Connection;
  readonly ended: Promise<SandboxEnd>;
  errorOutput = '';
  readonly #launched: Launched;
  readonly #settled = Promise.withResolvers<SandboxEnd>();
  #intent: SandboxEnd | undefined;
  #killsReported = 0;
  #exited = false;

  constructor(launched: Launched, onNotice: (text: string) => void, timings: Readonly<SupervisorTimings>) {
    this.#launched = launched;
    this.ended = this.#settled.promise;
    const line: unknown = launched.process.stdio[launched.line];
    if (!(line instanceof Duplex)) throw new Error('a supervisor needs its connection to the worker');
    this.connection = new Connection(line, {
      onBroken: (detail) => void this.end('crashed', detail),
      onNotice,
      timings,
    });
    launched.process.stderr?.on('data', (chunk: Buffer) => {
      this.errorOutput = (this.errorOutput + chunk.toString('utf8')).slice(-maxErrorOutput);
    });
    // Not `close`: a leftover process may hold the streams open for ever.
    launched.process.once('exit', (code, signal) => {
      void this.#exit(signal === null ? `its first process exited with ${code}` : `its first process got ${signal}`);
    });
    launched.process.once('error', (error) => void this.#exit(error.message));
  }

  /** Kills by the kernel so far. Those since the last call explain the sandbox's own end. */
  oomKills(): number {
    this.#killsReported = this.#launched.oomKills();
    return this.#killsReported;
  }

  assertRunning(): void {
    if (this.#exited) throw new ProviderError('The sandbox has ended', { retryable: true });
  }

  /** Ends the sandbox; resolves when it has ended. The first reason counts. */
  async end(reason: SandboxEnd['reason'], detail: string): Promise<void> {
    if (!this.#exited) {
      this.#intent ??= { reason, detail };
      this.#launched.kill();
    }
    await this.ended;
  }

  async #exit(how: string): Promise<void> {
    if (this.#exited) return;
    this.#exited = true;
    const end = this.#intent ?? this.#explain(how);
    this.connection.fail(end.detail);
    try {
      await this.#launched.release();
      if (end.reason === 'stopped') await this.#launched.directories.close(this.#launched.id);
    } finally {
      this.#settled.resolve(end);
    }
  }

  #explain(how: string): SandboxEnd {
    if (this.#launched.oomKills() > this.#killsReported) {
      return { reason: 'out_of_memory', detail: 'the kernel killed its supervisor for lack of memory' };
    }
    const complaints = this.errorOutput.trim();
    return { reason: 'crashed', detail: complaints === '' ? how : `${how}: ${complaints}` };
  }
}

async function withinStart(ready: Promise<number>, signal: AbortSignal | undefined): Promise<number> {
  signal?.throwIfAborted();
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  const tooLate = `it did not answer within ${startWithinMs / 1_000} s; this machine may have too much to do`;
  const timer = setTimeout(() => stop(new ProviderError(tooLate, { retryable: true })), startWithinMs);
  const onAbort = () => stop(toError(signal?.reason));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([ready, stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
