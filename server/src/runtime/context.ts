import type { Runtime } from '../adapters/agent/drivers.ts';
import type { AgentRunner } from '../adapters/agent/port.ts';
import type { BrowserDriver } from '../adapters/browser/port.ts';
import type { SandboxDriver } from '../adapters/sandbox/port.ts';
import type { Context } from '../app/context.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Registries } from '../gateway/registry/known.ts';
import type { Copies } from './copies.ts';
import type { StepLimits } from './step-limits.ts';
import type { WorkerTimings } from './timings.ts';

/** What a worker works with beside the context of every process. */
export interface WorkerContext extends Context {
  readonly sandbox: SandboxDriver;
  readonly gateway: Gateway;
  /** What the gateway leads to where packages may be installed. */
  readonly registries: Registries;
  readonly browser: BrowserDriver;
  /** A runtime that is missing cannot run here; `runtimes()` says why. */
  readonly agents: Partial<Record<Runtime, AgentRunner>>;
  /** Bare mirrors of upstream repositories; this process's alone. */
  readonly mirrorsDirectory: string;
  /** Base layers and what a run needs on the host; this process's alone. */
  readonly workDirectory: string;
  /** Keeps both within what they may take of the disk. */
  readonly copies: Copies;
  /** Where the API is for this worker, without a trailing slash. */
  readonly apiUrl: string;
  /** Why it can do nothing for a session at the moment; `''` while it can. */
  readonly problem: () => string;
  /** How long a session waits for each step of its provisioning. */
  readonly stepLimitsMs: StepLimits;
  readonly timings: Readonly<WorkerTimings>;
}
