import type { Sandbox, SandboxDriver, SandboxIsolation, SandboxOptions, ExecResult } from '../port.ts';

/** What most sandboxes of the contract may use. */
export const limits = { cpu: 2, memory_mb: 256, disk_mb: 64, pids: 64 };

/** What the tests of the contract share; but for what is constant it is there when the first test begins. */
export interface SandboxWorld {
  /** Whether its sandboxes promise to keep the host out of reach. */
  readonly isolated: boolean;
  /** The driver's module and what it calls its factory, for a worker process that is killed. */
  readonly module: URL;
  readonly factory: string;
  /** Marks what is this run's: other suites may run on the same machine. */
  readonly tag: number;
  /** A directory of the test's own, and the driver's in it. */
  readonly base: string;
  readonly root: string;
  readonly driver: SandboxDriver;
  readonly isolation: SandboxIsolation;
  /** A sandbox without a gateway, for whatever leaves it as it is. */
  readonly shared: Sandbox;
  /** Another driver over the same directory. */
  makeDriver(): SandboxDriver;
  create(options?: Partial<SandboxOptions>): Promise<Sandbox>;
  run(sandbox: Sandbox, command: string): Promise<ExecResult>;
  /** Both streams of a command, trimmed. */
  output(sandbox: Sandbox, command: string): Promise<string>;
  /** Runs JavaScript inside; what it prints. */
  script(sandbox: Sandbox, source: string): Promise<string>;
}
