import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { agentRuntimes, type AgentRuntime } from '../adapters/agent/drivers.ts';
import { openFilesystemBlobStore } from '../adapters/blobs/filesystem/blob-store.ts';
import type { BlobStore } from '../adapters/blobs/port.ts';
import type { HostParts } from '../adapters/source-control/connection.ts';
import type { GitHost } from '../adapters/source-control/git-host.ts';
import { openHostMirrors, type HostMirrors } from '../adapters/source-control/host-mirrors.ts';
import { createSourceControls, type SourceControls } from '../adapters/source-control/registry.ts';
import { createGitlabSourceControl } from '../adapters/source-control/gitlab/source-control.ts';
import { createGithubSourceControl } from '../adapters/source-control/github/source-control.ts';
import { createLocalHost } from '../adapters/source-control/local/host.ts';
import { createBuiltInSourceControl } from '../adapters/source-control/local/source-control.ts';
import { createPagureSourceControl } from '../adapters/source-control/pagure/source-control.ts';
import { builtInCloneAccess } from '../features/git/credentials.ts';
import { createOpenConnections, type OpenConnections } from '../features/git-connections/open-connections.ts';
import { open, seal } from '../features/secrets/envelope.ts';
import { createHostedCollaboration } from '../features/repositories/hosted-collaboration.ts';
import { createHostedChangeRequests } from '../features/repositories/hosted-store.ts';
import type { GitRemote } from '../git/remote.ts';
import type { KeyRing } from '../adapters/keys/port.ts';
import type { Mailer } from '../adapters/mail/port.ts';
import { createSmtpMailer } from '../adapters/mail/smtp/mailer.ts';
import type { Config } from '../config/config.ts';
import { bucketOf } from '../config/places.ts';
import { databaseProblem } from './database.ts';
import { migrate } from '../db/migrate.ts';
import { openNotifications, type Notifications } from '../db/notifications.ts';
import { openDatabase, type Database } from '../db/pool.ts';
import { countedBlobs } from '../features/storage/counted-blobs.ts';
import { checkUrl, createDialer, EgressRefused } from '../gateway/net/dial.ts';
import { createHostFetch } from '../gateway/net/host-fetch.ts';
import { createOutgoing } from '../gateway/net/outgoing.ts';
import { createJobs, type Jobs } from '../jobs/queue.ts';
import { queues } from '../jobs/queues.ts';
import { createWorkerCalls, type WorkerCalls } from '../jobs/worker-calls.ts';
import { openKeyRing } from './key-ring.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { makeDirectory } from '../lib/directories.ts';
import { messageOf, ProviderError } from '../lib/errors.ts';
import { fieldError } from '../lib/field-error.ts';
import type { Log } from '../lib/log.ts';
import { shareOf } from '../lib/machine-share.ts';
import type { SendOutgoing } from '../lib/outgoing.ts';
import { productVersion } from '../lib/version.ts';
import { checkSharedStorage } from './shared-storage.ts';
import { watchDisk, watchStorage, type Watch } from '../watch.ts';

/** The dependencies of a process: seams, never services. A service names the few it needs: `Pick<Context, 'db'>`. */
export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly db: Database;
  /** Notifications from other processes, by channel. */
  readonly notifications: Notifications;
  readonly jobs: Jobs;
  /** Calls to workers, for callers that wait for the result. */
  readonly workerCalls: WorkerCalls;
  readonly blobs: BlobStore;
  /** Watches if blobs can be written. */
  readonly storage: Watch;
  /** Watches if this machine's disk has enough free space. */
  readonly disk: Watch;
  /** The git providers; `gitHost` has the additional operations of the built-in one. */
  readonly sourceControl: SourceControls;
  readonly gitHost: GitHost;
  /** The parts that adapters of other git hosts are created with. */
  readonly hostParts: HostParts & { readonly connections: OpenConnections };
  readonly keyRing: KeyRing;
  /** Undefined without a mail server. */
  readonly mailer: Mailer | undefined;
  /** Aborts when the process is about to drain: `/readyz` says so, and everything else continues. */
  readonly leaving: AbortSignal;
  /** Aborts when the process drains. */
  readonly closing: AbortSignal;
  /** The installation's public base URL, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Identifies this installation; not a secret. */
  readonly installation: string;
  /**
   * Resolves a git URL, checks its address and pins it; `field` of the body contains it, by default `import_url`.
   * Throws 400, or 403 `address_not_allowed`.
   */
  readonly importRemote: (url: string, field?: string) => Promise<GitRemote>;
  /** Sends requests to receivers that users chose, such as webhooks. */
  readonly outgoing: SendOutgoing;
  /** Returns the agent runtimes; `modelProblem` is why an organization has no model, or `''`. */
  readonly runtimes: (modelProblem: string) => Promise<AgentRuntime[]>;
}

/** Opens as many connections as run more statements on these cores, and uses few: JavaScript runs on one core. */
function openMainDatabase(connectionString: string, log: Log): Database {
  const cores = availableParallelism();
  return openDatabase({
    connectionString,
    maxConnections: Math.min(20, Math.max(8, shareOf(4 * cores))),
    usualConnections: Math.min(8, Math.max(3, shareOf(cores + 1))),
    applicationName: 'guildhall',
    log,
  });
}

export interface ContextOptions {
  log: Log;
  /** The URL of the database; a promise for one that is starting. */
  connectionString: string | Promise<string>;
  leaving?: AbortSignal;
  closing: AbortSignal;
  baseUrl: () => string;
}

/** Opens everything that a process needs, in order; `close` undoes it in reverse and may be called at any point. */
export async function createContext(
  config: Config,
  options: ContextOptions,
): Promise<{ context: Context; close: () => Promise<void> }> {
  const { log } = options;
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const undo of opened.splice(0).reverse())
      await undo().catch((error: unknown) => log.error({ err: error }, 'cannot close everything'));
  };
  try {
    const connectionString = await options.connectionString;
    const db = openMainDatabase(connectionString, log);
    opened.push(() => db.close());
    await migrate(db, { log }).catch((error: unknown) => Promise.reject(databaseProblem(config, error)));
    const notifications = await openNotifications(connectionString, log);
    opened.push(() => notifications.close());
    const jobs = createJobs({ connectionString, applicationName: 'guildhall jobs', queues, log });
    opened.push(() => jobs.stop({ graceMs: 1_000 }));
    await jobs.start();
    const keyRing = await openKeyRing(config, { db, clock: systemClock, log });
    opened.push(async () => keyRing.close());
    // Not readable for other users of this machine.
    makeDirectory(config.repositories, 0o700);
    const { blobs, storage, disk } = await openStorage(config, db, log, opened);
    const clock = systemClock;
    const gitHost = createLocalHost(config.repositories, { log, leaveBytes: config.diskReserve / 2 });
    opened.push(() => gitHost.close());
    const hostParts = openHostParts(config, { db, keyRing, clock, log, closing: options.closing });
    const context: Context = {
      config,
      log,
      db,
      notifications,
      jobs,
      workerCalls: createWorkerCalls({ db, notifications, log }),
      clock,
      blobs,
      storage,
      disk,
      gitHost,
      hostParts,
      sourceControl: openSourceControl({ db, clock, keyRing, gitHost, hostParts }, options.baseUrl),
      keyRing,
      mailer: config.smtp === undefined ? undefined : createSmtpMailer(config.smtp),
      leaving: options.leaving ?? options.closing,
      closing: options.closing,
      baseUrl: options.baseUrl,
      installation: keyRing.derive('installation').toString('hex', 0, 16),
      importRemote: importRemote(config),
      outgoing: createOutgoing({ egressAllow: config.egressAllow }),
      runtimes: async (modelProblem) => agentRuntimes({ version: productVersion, modelProblem }),
    };
    return { context, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openHostParts(
  config: Config,
  ctx: Pick<Context, 'db' | 'keyRing' | 'clock' | 'log' | 'closing'>,
): Context['hostParts'] {
  const connections = createOpenConnections({
    db: ctx.db,
    clock: ctx.clock,
    seal: (...given) => seal(ctx, ...given),
    unseal: (...given) => open(ctx, ...given),
  });
  return {
    connections,
    webhookSecrets: (ref) => connections.webhookSecrets(ref),
    fetch: createHostFetch({ egressAllow: config.egressAllow }),
    mirrors: openMirrors(config, ctx),
    now: () => ctx.clock.now(),
  };
}

/** The providers of this version, one per line. `apiUrl` is the URL at which git reaches the built-in one. */
export function openSourceControl(
  ctx: Pick<Context, 'db' | 'clock' | 'keyRing' | 'gitHost' | 'hostParts'>,
  apiUrl: () => string,
): SourceControls {
  const { hostParts } = ctx;
  return createSourceControls(
    [
      createBuiltInSourceControl({
        git: ctx.gitHost,
        changeRequests: createHostedChangeRequests(ctx),
        collaboration: createHostedCollaboration(ctx),
        cloneAccess: builtInCloneAccess(ctx, apiUrl),
      }),
      createGitlabSourceControl(hostParts),
      createGithubSourceControl(hostParts),
      createPagureSourceControl(hostParts),
    ],
    (error) => hostParts.connections.rejected(error),
  );
}

/** Opens the blob store, with counting, and watches it and the disk. */
async function openStorage(config: Config, db: Database, log: Log, opened: (() => Promise<void>)[]) {
  const blobs = await openBlobs(config, db, log);
  const storage = await watchStorage(blobs, log);
  opened.push(() => storage.close());
  const own = bucketOf(config.blobs) === undefined ? [config.blobs] : [];
  const disk = await watchDisk([config.data, config.repositories, ...own], config.diskReserve, log);
  opened.push(() => disk.close());
  return { blobs, storage, disk };
}

/** Opens the blobs that the processes of this database share. Throws a ConfigError if these are others. */
export async function openBlobs(config: Config, db: Database, log: Log): Promise<BlobStore> {
  const store = await openBlobStore(config);
  await checkSharedStorage(config, db, store);
  return countedBlobs(store, { db, log, maxBytes: config.storageMax === 0 ? Infinity : config.storageMax });
}

async function openBlobStore({ blobs, s3PathStyle }: Config): Promise<BlobStore> {
  const bucket = bucketOf(blobs);
  if (bucket === undefined) return openFilesystemBlobStore({ directory: blobs });
  // The client takes megabytes, and most installations never use it.
  const { openS3BlobStore } = await import('../adapters/blobs/s3/blob-store.ts');
  return openS3BlobStore({ ...bucket, client: { forcePathStyle: s3PathStyle } });
}

function openMirrors(config: Config, { log, closing }: Pick<Context, 'log' | 'closing'>): HostMirrors {
  const dialer = createDialer({ egressAllow: config.egressAllow });
  return openHostMirrors({
    directory: join(config.data, 'host-mirrors'),
    async remote(url) {
      try {
        const { addresses } = await checkUrl(dialer, new URL(url), 'git');
        return { url, addresses: addresses.map(({ address }) => address) };
      } catch (error) {
        throw new ProviderError(messageOf(error), { retryable: !(error instanceof EgressRefused), cause: error });
      }
    },
    maxBytes: config.cacheMax,
    cloneBytes: config.cloneMax,
    reserveBytes: config.diskReserve,
    log,
    closing,
  });
}

function importRemote(config: Config): Context['importRemote'] {
  const dialer = createDialer({ egressAllow: config.egressAllow });
  return async (url, field = 'import_url') => {
    const parsed = URL.parse(url);
    if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
      throw fieldError(`/${field}`, 'must be an http or https URL.');
    try {
      const { addresses } = await checkUrl(dialer, parsed, 'git');
      return { url, addresses: addresses.map(({ address }) => address) };
    } catch (error) {
      if (error instanceof EgressRefused)
        throw fieldError(`/${field}`, `: ${error.message}`, { code: 'address_not_allowed' });
      throw fieldError(`/${field}`, `: ${messageOf(error)}`, { code: 'upstream_error' });
    }
  };
}
