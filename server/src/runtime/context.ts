import type { AgentRunner } from '../adapters/agent/port.ts';
import type { BrowserDriver } from '../adapters/browser/port.ts';
import type { SandboxDriver } from '../adapters/sandbox/port.ts';
import type { Context } from '../app/context.ts';
import type { Run } from '../features/sessions/run/run-service.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Registries } from '../gateway/registry/known.ts';
import type { Runtime } from '../lib/agent-config.ts';
import type { Copies } from './copies.ts';
import type { StepLimits } from './step-limits.ts';
import type { WorkerTimings } from './timings.ts';
import type { Provider } from '../lib/providers.ts';

/** A repository of a session, as its row names it. */
export interface SessionRepositoryName {
  readonly id: string;
  readonly provider: Provider;
  /** `owner/name`. */
  readonly repo: string;
  /** The one branch that the run will push. */
  readonly branch: string;
}

/** How the gateway reaches a repository for one run; nothing of it enters a sandbox. */
export interface CloneCredentials {
  readonly remoteUrl: string;
  /** Asked before every git call, so a short-lived one can be renewed; undefined: none is needed. */
  authorization(): Promise<string | undefined>;
  /** The operator's own endpoint, which the egress rules do not judge. */
  readonly exempt: boolean;
}

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
  readonly cloneCredentials: (run: Run, repository: SessionRepositoryName) => Promise<CloneCredentials>;
}
