import { existsSync, rmSync } from 'node:fs';
import type { Log } from '../../lib/log.ts';
import { findBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { chooseIdentity, grant } from './identity.ts';
import { type Layout, layoutOf, lockLayout, prepareSocketDir, removeSocketDir, socketUrl } from './layout.ts';
import { reclaim } from './processes.ts';
import { type ServerOptions, startServer } from './server.ts';
import { supervise } from './supervise.ts';

export interface EmbeddedOptions {
  /** The server's files are `<dataDir>/postgres*`; created when missing. */
  dataDir: string;
  log: Log;
  /** Server settings by name, over our own and the defaults. */
  settings?: Record<string, string>;
  /** Gives up the start; has no effect on a running server. */
  signal?: AbortSignal;
  /** Called when the server's process runs, before it answers. */
  onProcess?: () => void;
  /** For tests: no fsync, and the whole data directory is removed when the server ends, also when we are killed. */
  disposable?: boolean;
  /** Method by which root runs the server; by default one that works on this machine. */
  asRoot?: 'namespace' | 'user';
}

export interface EmbeddedDatabase {
  /** Works for node-postgres and libpq; leads to the database `guildhall`. */
  readonly connectionString: string;
  /** The postmaster's process id; another one after the server crashed and was started again. */
  pid(): number;
  /** Resolves when no server runs any more: after `stop`, or when it could not be started again. */
  readonly ended: Promise<void>;
  /** Ends the server cleanly and frees the data directory; may be called more than once. */
  stop(): Promise<void>;
}

const disposableSettings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' };

/**
 * Starts the embedded PostgreSQL on a data directory: creates the cluster at the first start, ends what a crash left
 * running, starts the server again when it dies. It stops with this process, whatever way that ends, and only after it:
 * signals to our process group do not reach it.
 *
 * @throws when another process uses the directory, or the server cannot start; the message is for the operator
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const layout = layoutOf(options.dataDir);
  const lock = await lockLayout(layout);
  const release = async (): Promise<void> => {
    removeSocketDir(layout);
    await lock.release();
  };
  try {
    const serverOptions = await prepare(options, layout);
    const server = await startServer(serverOptions, options);
    const supervised = supervise(server, serverOptions, options.log);
    const ended = afterwards(supervised.ended, release);
    return {
      connectionString: socketUrl(layout, 'guildhall'),
      ended,
      pid: () => supervised.pid(),
      stop: async () => {
        await supervised.stop();
        await ended;
      },
    };
  } catch (error) {
    await release();
    if (options.disposable === true) {
      rmSync(layout.dataDir, { recursive: true, force: true });
    }
    throw error;
  }
}

async function afterwards<T>(ended: Promise<T>, release: () => Promise<void>): Promise<T> {
  try {
    return await ended;
  } finally {
    await release();
  }
}

async function prepare(options: EmbeddedOptions, layout: Layout): Promise<ServerOptions> {
  const { log, disposable = false } = options;
  const binaries = findBinaries();
  const identity = chooseIdentity(layout.cluster, options.asRoot);
  if (existsSync(layout.cluster)) {
    await reclaim(layout.cluster, log);
  }
  const created = await ensureCluster({ layout, binaries, identity, durable: !disposable, signal: options.signal });
  log.debug({ data: layout.cluster, created }, 'starting the embedded database');
  prepareSocketDir(layout);
  grant(identity, { dataDir: layout.dataDir, owned: [layout.cluster, layout.socketDir], binaries });
  const settings = { ...(disposable ? disposableSettings : {}), ...options.settings };
  return { layout, binaries, identity, settings, disposable };
}
