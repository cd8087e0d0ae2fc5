import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gitProblem } from './adapters/git/version.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config-values.ts';
import { createContext, type Context } from './context.ts';
import { startChainer } from './features/audit-logs/chain.ts';
import { countStatus } from './features/health/store.ts';
import { startInviteMail } from './features/invites/jobs.ts';
import { bootstrap } from './features/organizations/service.ts';
import { storageTotals } from './features/storage/quota-service.ts';
import { createMetrics } from './http/metrics.ts';
import { acquireDataLock, type DataLock } from './lib/data-lock.ts';
import { messageOf } from './lib/errors.ts';
import { createLog } from './lib/log.ts';
import { portProblem } from './lib/ports.ts';
import { startPurge, startUpkeep } from './upkeep.ts';

/** What a started process says. `url` is `''` for a worker; the key is `''` but on the first start; `worker` names one. */
export interface Ready {
  url: string;
  organization: string;
  metrics_url: string;
  admin_key: string;
  admin_key_file: string;
  worker?: string;
}

export interface RunningServer {
  ready: Ready;
  /** Says that it is not ready, and goes on serving for `GUILDHALL_DRAIN_DELAY`, or until `now` aborts. */
  leave: (now: AbortSignal) => Promise<void>;
  /** Takes no new work, lets running sessions checkpoint, and closes everything; within 30 s. */
  stop: () => Promise<void>;
}

/** Starts everything the role asks for. Throws a message for the operator; nothing it opened stays open then. */
export async function startServer(
  config: Config,
  options: { keepAdminKey: (path: string, key: string) => Promise<void> },
): Promise<RunningServer> {
  const log = createLog(config.logLevel, 2, config.logFormat);
  for (const warning of config.warnings) log.warn(warning);
  const leaving = new AbortController();
  const closing = new AbortController();
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    leaving.abort();
    closing.abort();
    for (const close of undo.splice(0).reverse()) await close();
  };
  try {
    const lock = lockData(config.data);
    undo.push(async () => lock.release());
    await requirePorts(config);
    await requireGit();
    let url = config.url;
    const signals = { leaving: leaving.signal, closing: closing.signal };
    const { context, close } = await createContext(config, { log, ...signals, baseUrl: () => url });
    undo.push(close);
    const file = join(config.data, 'admin-key');
    const first = await bootstrap(context, config.adminEmail, (key) => options.keepAdminKey(file, key));
    await startUpkeep(context);
    undo.push(startChainer(context));
    const metrics = createMetrics(gauges(context));
    const metricsUrl = await metrics.listen(config.metricsPort);
    undo.push(() => metrics.close());
    let address = '';
    if (config.role !== 'worker') {
      await startPurge(context);
      // As below: a worker has no use for the routes.
      const { createApi } = await import('./api.ts');
      const app = await createApi(context, metrics.observe);
      address = await app.listen({ host: config.host, port: config.port });
      undo.push(() => app.close());
      if (url === '') url = address;
    }
    startInviteMail(context);
    if (config.role !== 'api') {
      // An API process has no use for what runs agents, and saves its memory.
      const { startRuntime } = await import('./runtime.ts');
      undo.push(await startRuntime(context, address === '' ? url : address));
    }
    const ready = {
      url: config.role === 'worker' ? '' : url,
      organization: first.organization,
      metrics_url: metricsUrl,
      admin_key: first.key,
      admin_key_file: first.key === '' ? '' : file,
      ...(config.role === 'worker' ? { worker: config.processId } : {}),
    };
    return { ready, leave: (now) => wait(leaving, config.drainDelayMs, now), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Says that the process leaves, and serves for a while; `now` ends that. */
async function wait(leaving: AbortController, delayMs: number, now: AbortSignal): Promise<void> {
  leaving.abort();
  await delay(delayMs, undefined, { signal: now }).catch(() => undefined);
}

function lockData(data: string): DataLock {
  try {
    return acquireDataLock(data);
  } catch (error) {
    throw new ConfigError(`${messageOf(error)} The data directory is set by --data or GUILDHALL_DATA.`, {
      cause: error,
    });
  }
}

/** Throws {@link ConfigError}. */
async function requireGit(): Promise<void> {
  const problem = await gitProblem();
  if (problem !== '') throw new ConfigError(problem);
}

/** Before anything is made: who cannot listen cannot start. Throws {@link ConfigError}. */
async function requirePorts({ role, host, port, metricsPort }: Config): Promise<void> {
  const wrongHost = await portProblem(host, 0);
  if (role !== 'worker' && wrongHost !== '')
    throw new ConfigError(`GUILDHALL_HOST is ${JSON.stringify(host)}, which ${wrongHost}.`);
  const problem = role === 'worker' || port === 0 ? '' : await portProblem(host, port);
  if (problem !== '')
    throw new ConfigError(`Port ${port} of ${host} ${problem}. Choose another by --port or GUILDHALL_PORT.`);
  const metricsProblem = metricsPort === 0 ? '' : await portProblem('127.0.0.1', metricsPort);
  if (metricsProblem !== '')
    throw new ConfigError(
      `Port ${metricsPort}, for metrics, ${metricsProblem}. Choose another by GUILDHALL_METRICS_PORT; 0 is a free one.`,
    );
}

function gauges(ctx: Context) {
  return {
    guildhall_sessions_queued: { help: 'Sessions that wait for a worker.', read: () => countStatus(ctx.db, 'queued') },
    guildhall_blob_store_writable: {
      help: '1 while this process can write blobs, else 0.',
      read: async () => (ctx.storage.problem === '' ? 1 : 0),
    },
    guildhall_stored_bytes: {
      help: 'Bytes that all organizations keep in blobs and repositories.',
      read: async () => (await storageTotals(ctx)).usedBytes,
    },
    guildhall_organizations_full: {
      help: 'Organizations that keep all that they may (GUILDHALL_STORAGE_MAX).',
      read: async () => (await storageTotals(ctx)).full,
    },
    guildhall_disk_low: {
      help: '1 while less of the disk is free than GUILDHALL_DISK_RESERVE, else 0.',
      read: async () => (ctx.disk.problem === '' ? 0 : 1),
    },
    guildhall_sessions_running: { help: 'Sessions that run.', read: () => countStatus(ctx.db, 'running') },
  };
}
