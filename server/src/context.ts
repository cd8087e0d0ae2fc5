import type { BlobStore } from './adapters/blobs/port.ts';
import type { GitHost } from './adapters/git/host.ts';
import type { GitRemote } from './adapters/git/remote.ts';
import type { KeyRing } from './adapters/keys/port.ts';
import type { Config } from './config.ts';
import type { Database } from './db/pool.ts';
import type { Notifications } from './db/notifications.ts';
import type { Jobs } from './jobs/queue.ts';
import type { AgentRuntime } from './lib/agent-config.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';

/** What a process works with: seams, never services. A service asks for the few it needs: `Pick<Context, 'db'>`. */
export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly db: Database;
  /** What other processes tell this one, by channel. */
  readonly notifications: Notifications;
  readonly jobs: Jobs;
  readonly blobs: BlobStore;
  readonly gitHost: GitHost;
  readonly keyRing: KeyRing;
  /** Aborts when the process drains. */
  readonly closing: AbortSignal;
  /** The installation's public base URL, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Checks where an `import_url` leads and pins the address; throws 400 for one that is not allowed. */
  readonly importRemote: (url: string) => Promise<GitRemote>;
  /** What can run an agent here. */
  readonly runtimes: () => Promise<AgentRuntime[]>;
}
