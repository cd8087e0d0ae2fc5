import type { Sandbox, SandboxDriver, SandboxIsolation, SandboxOptions, ExecResult } from '../port.ts';

/** The limits of most sandboxes in the contract. */
export const limits = { cpu: 2, memory_mb: 256, disk_mb: 64, pids: 64 };

/** The shared fixture of the contract's tests; functions work from the first test on. */
export interface SandboxWorld {
  /** True if its sandboxes isolate the host. */
  readonly isolated: boolean;
  /** The driver's module and the name of its factory, for a worker process that is killed. */
  readonly module: URL;
  readonly factory: string;
  /** Identifies this run, because other suites may run on the same machine. */
  readonly tag: number;
  /** The test's own directory, with that of the driver. */
  readonly base: string;
  readonly root: string;
  readonly driver: SandboxDriver;
  readonly isolation: SandboxIsolation;
  /** A sandbox without a gateway, for tests that do not change it. */
  readonly shared: Sandbox;
  /** Returns another driver on the same directory. */
  makeDriver(): SandboxDriver;
  create(options?: Partial<SandboxOptions>): Promise<Sandbox>;
  run(sandbox: Sandbox, command: string): Promise<ExecResult>;
  /** Returns both streams of a command, trimmed. */
  output(sandbox: Sandbox, command: string): Promise<string>;
  /** Runs JavaScript inside and returns its output. */
  script(sandbox: Sandbox, source: string): Promise<string>;
}
