/** The part of the sandbox port that an agent may use; every `Sandbox` satisfies it. */
export interface AgentSandbox {
  /** The gateway's base URL inside; `''` without one. */
  readonly gatewayUrl: string;
  /** The work tree's path inside. */
  readonly workspace: string;
  /** The agent's home directory's path inside. */
  readonly home: string;
  /** A failing command is a result; rejects with the signal's reason, or when the sandbox is lost. */
  exec(options: AgentExecOptions): Promise<AgentExecResult>;
  /** Starts a program with stdio pipes. */
  spawn(options: { command: string[]; cwd?: string; env?: Record<string, string> }): Promise<AgentProcess>;
  readFile(path: string, options?: { maxBytes?: number }): Promise<Buffer>;
  /** Creates missing directories. */
  writeFile(path: string, content: Buffer | string, options?: { mode?: number }): Promise<void>;
}

export interface AgentExecOptions {
  /** A shell command for `bash -c`, or an argument vector. */
  command: string | string[];
  /** Default: the work tree. */
  cwd?: string;
  env?: Record<string, string>;
  stdin?: Buffer | string;
  timeoutMs: number;
  signal?: AbortSignal;
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  /** Bytes of each stream's tail in the result. */
  keepBytes?: number;
}

export interface AgentExecResult {
  /** 128 + signal for a killed program, 124 after a timeout. */
  exitCode: number;
  timedOut: boolean;
  outOfMemory: boolean;
  durationMs: number;
  stdout: Buffer;
  stderr: Buffer;
}

export interface AgentProcess {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly exited: Promise<{ exitCode: number }>;
  kill(signal?: 'SIGTERM' | 'SIGKILL'): void;
}
