/** Creates sandboxes for a worker's runs. Their methods never throw after `destroy`, and `destroy` never rejects. */
export interface SandboxDriver {
  /** For records only. Code must depend on capabilities and isolation, not on the name. */
  readonly name: string;
  /** The way from sandboxes to the gateway; {@link SandboxOptions.gateway} must be of this kind. */
  readonly gateway: { readonly by: 'socket' } | { readonly by: 'network'; readonly host: string };
  /** Mounts directories of this machine read-only; undefined if the driver cannot, e.g. on another machine. */
  readonly mounts: SandboxMounts | undefined;
  /** The paths and the gateway's URL of all its sandboxes; undefined if each one has its own. */
  readonly places: SandboxPlaces | undefined;
  /** Base layers saved by its sandboxes. */
  readonly layers: SandboxLayers;
  /** Checks if this machine can run it: `problem` has the missing requirement and its remedy; `''` for none. */
  probe(): Promise<{ problem: string; isolation: SandboxIsolation }>;
  /** Starts a sandbox. Its files persist across `stop` and are removed by `destroy`. */
  create(options: SandboxOptions): Promise<Sandbox>;
  /** Starts a sandbox before it is known which session gets it; undefined if the driver cannot. */
  readonly prepare: ((options: PrepareOptions) => Promise<PreparedSandbox>) | undefined;
  /** Removes the files of a stopped sandbox, by its id; never rejects. Nothing else removes them. */
  discard(id: string): Promise<void>;
  /**
   * Removes the sandboxes that ran when their worker died, with their files, and returns their number. Sandboxes of living
   * workers, and stopped ones, stay.
   */
  sweep(): Promise<number>;
}

export type SandboxPlaces = Readonly<Pick<Sandbox, 'workspace' | 'home' | 'gatewayUrl'>>;

/** Mounts of the worker's directories in sandboxes. */
export interface SandboxMounts {
  /** Returns the path inside of a host directory in {@link SandboxOptions.mounts}. */
  pathInside(hostPath: string): string;
}

/**
 * Address of a sandbox's gateway endpoint: a unix socket on this machine, or a host and port where each connection starts
 * with the token and a line feed. The supervisor sends the token, so no program inside needs to know it.
 */
export type GatewayAddress =
  | { readonly socket: string }
  | { readonly host: string; readonly port: number; readonly token: string };

/** Opaque id of a base layer. */
export type LayerId = string;

/** A driver's base layers. The worker decides about their owners and lifetime. */
export interface SandboxLayers {
  list(): Promise<readonly LayerId[]>;
  /** Returns a layer's size in bytes; undefined if it does not exist. */
  sizeOf(id: LayerId): Promise<number | undefined>;
  /** Removes a layer that no sandbox uses; never rejects. */
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
  /** Limits that code in a sandbox can exceed here; the kernel enforces the others. See `describeIsolation`. */
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
   * The gateway, available inside at {@link Sandbox.gatewayUrl}. Absent: no network at all. A socket must be in a directory
   * that only the worker may traverse, because a driver may open the socket itself to every user.
   */
  gateway?: GatewayAddress;
  /**
   * Host directories to mount read-only (mirrors, checkpoint repositories), for a driver with {@link SandboxDriver.mounts}.
   * Their files must be readable for every user; their parent directories may be closed.
   */
  mounts?: readonly string[];
  /** Base layer with the initial `/workspace` and `/home/agent`; never changed. See {@link Sandbox.saveLayer}. */
  layer?: LayerId;
  /** Environment of every command, in addition to PATH, HOME, USER, LANG, TERM and the proxy variables. */
  env?: Record<string, string>;
  /** Called with a sentence for users when the sandbox acted on its own; at most 20 times. Must not throw. */
  onNotice?: (text: string) => void;
  signal?: AbortSignal;
}

/** A sandbox to start ahead. */
export interface PrepareOptions extends Pick<SandboxOptions, 'id' | 'limits' | 'mounts' | 'signal'> {
  /** A directory on the file system of the sockets of which {@link PreparedSandbox.use} gets one. */
  readonly gatewayDirectory: string;
  /** Directories below which {@link PreparedSandbox.use} may mount. The sandbox sees nothing else of them. */
  readonly mountsBelow: readonly string[];
}

/** A started sandbox that no session has used. It ends by its discard, or as a sandbox that is used. */
export interface PreparedSandbox {
  /** False if `use` cannot mount anything on this machine. */
  readonly canMount: boolean;
  /** As {@link Sandbox.ended}. */
  readonly ended: Promise<SandboxEnd>;
  /** Connects it to a session's gateway, and mounts read-only what the session reads. Once; a failure removes it. */
  use(options: UseOptions): Promise<Sandbox>;
  /** Removes it; never rejects. */
  discard(): Promise<void>;
}

export type UseOptions = Required<Pick<SandboxOptions, 'gateway' | 'mounts'>> & Pick<SandboxOptions, 'onNotice'>;

/** One running sandbox. Paths are paths inside it: `/workspace` and `/home/agent` are writable and kept by `stop`. */
export interface Sandbox {
  readonly id: string;
  /** The gateway's URL inside, `http://127.0.0.1:<port>`; `''` without a gateway. */
  readonly gatewayUrl: string;
  readonly workspace: string;
  readonly home: string;
  /** Resolves when the sandbox has ended for any reason; never rejects. */
  readonly ended: Promise<SandboxEnd>;
  /** Runs a program to its end. A failing command is a result, not an exception. */
  exec(options: ExecOptions): Promise<ExecResult>;
  /** Starts a program with stdio pipes, e.g. an agent. */
  spawn(options: SpawnOptions): Promise<SandboxProcess>;
  /** Starts a program on a pseudo-terminal of its own. Rejects if this sandbox has no perl. */
  openTerminal(options: TerminalOptions): Promise<SandboxTerminal>;
  /**
   * Connects to a server on the sandbox's loopback interface. Rejects with {@link NothingListens} if there is none. Only for
   * a sandbox with namespaces: without them the port would be the machine's.
   */
  connect(port: number): Promise<SandboxConnection>;
  readFile(path: string, options?: { maxBytes?: number }): Promise<Buffer>;
  /**
   * Copies a file to a new file of the worker in constant memory, and returns its size. The target must not exist; after a
   * rejection it does not.
   */
  copyOut(path: string, target: string, options: { maxBytes: number }): Promise<number>;
  /** Copies a file of the worker in, in constant memory. Creates missing directories; mode defaults to 0644. */
  copyIn(source: string, path: string, options?: { mode?: number }): Promise<void>;
  /** Creates missing directories. Mode defaults to 0644. */
  writeFile(path: string, content: Buffer | string, options?: { mode?: number }): Promise<void>;
  /**
   * Writes values to files in memory, below `/run/secrets` if the driver has its own `/run`: mode 0400, owned by the sandbox's
   * user, removed with the sandbox, and in no layer. Names must be valid for environment variables. Replaces existing values,
   * and returns the paths inside.
   */
  writeSecrets(values: Readonly<Record<string, string>>): Promise<Record<string, string>>;
  /** Copies `/workspace` and `/home/agent` into a new base layer, which appears only when it is complete. */
  saveLayer(): Promise<LayerId>;
  /** Kills every process; files stay for a later `create` with the same id. */
  stop(): Promise<void>;
  /** Kills every process and removes every file. */
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
  /** Called with each chunk in order. */
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
  /** The last `keepBytes` of each stream, and the total number of bytes. */
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
  readonly exited: Promise<ProgramEnd>;
  kill(signal?: 'SIGTERM' | 'SIGKILL'): void;
}

export interface ProgramEnd {
  exitCode: number;
  /** True if it failed after a process of the sandbox was killed for lack of memory. */
  outOfMemory: boolean;
}

export interface TerminalOptions extends SpawnOptions, TerminalSize {}

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** A program on a terminal. Its output is what the terminal prints. */
export interface SandboxTerminal {
  readonly output: ReadableStream<Uint8Array>;
  readonly exited: Promise<ProgramEnd>;
  /** Types bytes; resolves when more can be typed. */
  type(bytes: Uint8Array): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /** Kills the program and everything that it started and that is still its descendant. */
  kill(): void;
}

/** A connection to a server in a sandbox. */
export interface SandboxConnection {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  close(): void;
}

/** No server listens at a port. */
export class NothingListens extends Error {}
