import type { Runtime } from '../adapters/agent/drivers.ts';
import type { AgentRunner } from '../adapters/agent/port.ts';
import type { BrowserDriver } from '../adapters/browser/port.ts';
import type { SandboxDriver } from '../adapters/sandbox/port.ts';
import type { Context } from '../app/context.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Registries } from '../gateway/registry/known.ts';
import type { TokenEntry } from '../lib/token-entry.ts';
import type { HostCache } from './host-cache.ts';
import type { LiveSessions } from './live/live-sessions.ts';
import type { StepLimits } from './step-limits.ts';
import type { TerminalTimings, WorkerTimings } from './timings.ts';

/** The context of a worker process. */
export interface WorkerContext extends Context {
  readonly sandbox: SandboxDriver;
  readonly gateway: Gateway;
  /** Package registries that sandboxes may reach through the gateway. */
  readonly registries: Registries;
  readonly browser: BrowserDriver;
  /** Runners by runtime. `runtimes()` gives the reason for a missing one. */
  readonly agents: Partial<Record<Runtime, AgentRunner>>;
  /** Bare mirrors of upstream repositories; used by this process only. */
  readonly mirrorsDirectory: string;
  /** Base layers and the host files of runs; used by this process only. */
  readonly workDirectory: string;
  /** Keeps mirrors and layers within their share of the disk. */
  readonly cache: HostCache;
  /** The API's URL as this worker reaches it, without a trailing slash. */
  readonly apiUrl: string;
  /** The reason why it cannot run sessions at the moment; `''` while it can. */
  readonly problem: () => string;
  /** Limits for the steps of provisioning. */
  readonly stepLimitsMs: StepLimits;
  readonly timings: Readonly<WorkerTimings>;
  /** The sessions here whose sandboxes people can use now. */
  readonly live: LiveSessions;
  /** Takes connections of API processes, each with a token that a call returned. */
  readonly links: TokenEntry;
  readonly terminalTimings: Readonly<TerminalTimings>;
}
