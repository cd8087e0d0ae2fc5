/** Isolates a worker's runs. A driver never throws after `destroy`, and `destroy` never fails. */
export interface SandboxDriver {
  /** Goes into records as it is; what depends on the driver asks what it can and how it isolates. */
  readonly name: string;
  /** The sandboxes' way to the gateway; {@link SandboxOptions.gateway} is of that kind. */
  readonly gateway: { readonly by: 'socket' } | { readonly by: 'network'; readonly host: string };
  /** Shows directories of this machine inside, read-only; undefined where it cannot, as on another machine. */
  readonly mounts: SandboxMounts | undefined;
  /** The base layers that its sandboxes saved. */
  readonly layers: SandboxLayers;
  /** Checks if this machine can run it: `problem` names what is missing and how to get it, `''` for nothing. */
  probe(): Promise<{ problem: string; isolation: SandboxIsolation }>;
  /** Starts a sandbox over `root` (a host directory of the driver's own, kept by `stop`, removed by `destroy`). */
  create(options: SandboxOptions): Promise<Sandbox>;
  /** Removes the files of a sandbox that does not run, by its id; never throws. What `stop` left is removed by nothing else. */
  discard(id: string): Promise<void>;
  /**
   * Removes the sandboxes that were running when their worker died, with all they left behind below `root`; returns how
   * many. Those of living workers and stopped ones stay.
   */
  sweep(): Promise<number>;
}

/** The mounts of a driver that shows directories of the worker's machine to its sandboxes. */
export interface SandboxMounts {
  /** The path inside of a host directory that is among {@link SandboxOptions.mounts}. */
  pathInside(hostPath: string): string;
}

/**
 * The gateway's door of one sandbox: a unix socket on this machine, or an address on the sandbox's network, where each
 * connection begins with the token and a line feed. The supervisor says it, so no program inside needs to know it.
 */
export type GatewayAddress =
  | { readonly socket: string }
  | { readonly host: string; readonly port: number; readonly token: string };

/** Names a base layer; what it means is known to the driver alone. */
export type LayerId = string;

/** The base layers that a driver keeps until they are discarded. Whose they are and when they go, the worker decides. */
export interface SandboxLayers {
  list(): Promise<readonly LayerId[]>;
  /** Bytes that a layer takes; undefined where there is none. */
  sizeOf(id: LayerId): Promise<number | undefined>;
  /** Removes a layer that no sandbox uses; never throws. */
  discard(id: LayerId): Promise<void>;
}

/** The isolation of this driver's sandboxes on this machine; stored in the session's record unchanged. */
export interface SandboxIsolation {
  /** `namespaces` (own users, processes, network, files) or `none`. */
  kind: 'namespaces' | 'none';
  /** True if each sandbox runs as a host user of its own. */
  own_user: boolean;
  /** The limiter of memory, processes and CPU. */
  limits: 'cgroup2' | 'cgroup1' | 'rlimit' | 'none';
  /** The limiter of disk: a sized file system, or a poll that stops the sandbox. */
  disk: 'image' | 'poll';
  /** Limits that code in a sandbox can get around here; the others are held by the kernel. See `describeIsolation`. */
  advisory: (keyof SandboxLimits)[];
}

export interface SandboxLimits {
  cpu: number;
  memory_mb: number;
  disk_mb: number;
  pids: number;
}

export interface SandboxOptions {
  /** The session's id, or one derived from it (`<id>-verify`); names directories and cgroups. */
  id: string;
  limits: SandboxLimits;
  /**
   * The gateway, reached inside at {@link Sandbox.gatewayUrl}. Absent: no way out at all. A socket must lie in a directory
   * that only the worker may pass: a driver may open the socket itself to every user.
   */
  gateway?: GatewayAddress;
  /**
   * Host directories readable inside (mirrors, checkpoint repositories), for a driver that has {@link SandboxDriver.mounts}.
   * Never written. Their files must be readable for every user; the directories above may be closed.
   */
  mounts?: readonly string[];
  /** A base layer of `/workspace` and `/home/agent` to start from; never written. See {@link Sandbox.saveLayer}. */
  layer?: LayerId;
  /** The whole environment of every command, beside PATH, HOME, USER, LANG, TERM and the proxy variables. */
  env?: Record<string, string>;
  /** Told, in a sentence for people, what the sandbox had to do by itself; at most 20 times. Must not throw. */
  onNotice?: (text: string) => void;
  signal?: AbortSignal;
}

/** One running sandbox. Paths are paths inside it: `/workspace` and `/home/agent` are writable and kept by `stop`. */
export interface Sandbox {
  readonly id: string;
  /** `http://127.0.0.1:<port>` inside, which leads to the gateway; `''` without one. */
  readonly gatewayUrl: string;
  readonly workspace: string;
  readonly home: string;
  /** Settles once when the sandbox is gone, whoever ended it; never rejects. */
  readonly ended: Promise<SandboxEnd>;
  /** Runs a program to its end. A command that fails is a result, not an exception. */
  exec(options: ExecOptions): Promise<ExecResult>;
  /** Starts a program that is talked to over stdio (an agent). */
  spawn(options: SpawnOptions): Promise<SandboxProcess>;
  readFile(path: string, options?: { maxBytes?: number }): Promise<Buffer>;
  /**
   * Copies a file out to a file of the worker that must not exist, in constant memory; answers its size. Nothing is there
   * after it rejected.
   */
  copyOut(path: string, target: string, options: { maxBytes: number }): Promise<number>;
  /** Copies a file of the worker in, in constant memory. Creates missing directories; mode defaults to 0644. */
  copyIn(source: string, path: string, options?: { mode?: number }): Promise<void>;
  /** Creates missing directories. Mode defaults to 0644. */
  writeFile(path: string, content: Buffer | string, options?: { mode?: number }): Promise<void>;
  /**
   * Puts values into files that are in memory alone, below `/run/secrets` where the driver has a `/run` of its own: mode
   * 0400, of the sandbox's user, gone with it, and in no layer. Names are those of environment variables. Replaces what a
   * name had before; answers the paths inside.
   */
  writeSecrets(values: Readonly<Record<string, string>>): Promise<Record<string, string>>;
  /** Copies `/workspace` and `/home/agent` as they are into a new base layer, which is there when it is whole. */
  saveLayer(): Promise<LayerId>;
  /** Ends every process; files stay for a later `create` with the same id. */
  stop(): Promise<void>;
  /** Ends every process and removes every file. */
  destroy(): Promise<void>;
}

export interface SandboxEnd {
  reason: 'stopped' | 'destroyed' | 'crashed' | 'out_of_memory' | 'disk_full';
  detail: string;
}

export interface ExecOptions {
  /** A shell command for `bash -c`, or an argument vector. */
  command: string | string[];
  cwd?: string;
  env?: Record<string, string>;
  stdin?: Buffer | string;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Called with every chunk as it comes, in order. */
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  /** The number of bytes of each stream's tail that the result keeps; default 64 KiB. */
  keepBytes?: number;
}

export interface ExecResult {
  /** 128 + signal for a killed program, 124 after a timeout, as in a shell. */
  exitCode: number;
  timedOut: boolean;
  outOfMemory: boolean;
  durationMs: number;
  /** The last `keepBytes` of each stream, and how many bytes there were. */
  stdout: Buffer;
  stderr: Buffer;
  stdoutBytes: number;
  stderrBytes: number;
}

export interface SpawnOptions {
  command: string[];
  cwd?: string;
  env?: Record<string, string>;
}

export interface SandboxProcess {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<{ exitCode: number }>;
  kill(signal?: 'SIGTERM' | 'SIGKILL'): void;
}
