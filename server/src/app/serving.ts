import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { createContext, type Context } from './context.ts';
import { startAutomationEvents } from '../features/automations/event-service.ts';
import { startAutomationHosts } from '../features/automations/host-service.ts';
import { startAutomationRuns } from '../features/automations/runs/jobs.ts';
import { startScheduler } from '../features/automations/scheduler.ts';
import { startChainer } from '../features/audit-logs/chain.ts';
import { countStatus } from '../features/health/store.ts';
import { startConnections } from '../features/git-connections/hook-service.ts';
import { startDeliveries } from '../features/hooks/jobs.ts';
import { startInviteMail } from '../features/invites/jobs.ts';
import { bootstrap } from '../features/organizations/service.ts';
import { startNotifications } from '../features/notifications/jobs.ts';
import { startRefreshing } from '../features/repositories/host-consumer.ts';
import { startIndexing } from '../features/repositories/code-index/jobs.ts';
import { startFollowing } from '../features/follow/jobs.ts';
import { startMentions } from '../features/mentions/jobs.ts';
import { startReviews } from '../features/reviews/jobs.ts';
import { startCreatorWatch } from '../features/sessions/dispatch/creator-service.ts';
import { startWikis } from '../features/wikis/jobs.ts';
import { startWebhooks } from '../features/webhooks/jobs.ts';
import { storageTotals } from '../features/storage/quota-service.ts';
import { createMetrics, type GaugeSource, type Metrics } from '../http/metrics.ts';
import type { Log } from '../lib/log.ts';
import { consumers } from './consumers.ts';
import { startOutbox } from '../outbox/outbox.ts';
import { countBehind } from '../outbox/store.ts';
import { failingTasks } from '../jobs/maintenance-store.ts';
import { startMaintenance } from './maintenance.ts';
import { removeUnusedProcesses } from './unused-processes.ts';

/**
 * The output of a started process. `url` is `''` for a worker; the key is `''` but on the first start; `worker` identifies one.
 */
export interface Ready {
  url: string;
  organization: string;
  metrics_url: string;
  admin_key: string;
  admin_key_file: string;
  worker?: string;
}

export interface ServingOptions {
  log: Log;
  /** The URL of the database, once it answers. */
  connectionString: Promise<string>;
  leaving: AbortSignal;
  closing: AbortSignal;
  keepAdminKey: (path: string, key: string) => Promise<void>;
  /** Lets a scraper read the metrics; returns the URL. */
  offerMetrics: (metrics: Metrics, opened: ServingOptions['opened']) => Promise<string>;
  /** Registers how to close an opened part; called in reverse order, even if the start fails later. */
  opened: (close: () => Promise<void>) => void;
}

/** Opens the installation and starts everything that the role requires. Throws a message for the operator. */
export async function serve(config: Config, options: ServingOptions): Promise<Ready> {
  const { log, opened } = options;
  let url = config.url;
  // An API process runs no agents, so it saves this memory. In others, the sandboxes are probed while the API starts.
  const runtime = config.role === 'api' ? undefined : import('./runtime.ts');
  runtime?.catch(() => undefined);
  const { context, close } = await createContext(config, { ...options, baseUrl: () => url });
  opened(close);
  const sandboxes = runtime?.then(({ chooseSandbox }) => chooseSandbox(config, log));
  sandboxes?.catch(() => undefined);
  if (config.processNumber === 1) await removeUnusedProcesses(config, log);
  const file = join(config.data, 'admin-key');
  const first = await bootstrap(context, config.adminEmail, (key) => options.keepAdminKey(file, key));
  const maintenance = startMaintenance(context, { hasRepositories: config.role !== 'worker' });
  maintenance.catch(() => undefined);
  opened(startChainer(context));
  opened(await startOutbox(context, consumers));
  const metrics = createMetrics(gauges(context));
  const metricsUrl = await options.offerMetrics(metrics, opened);
  let address = '';
  if (config.role !== 'worker') {
    // Loaded here, because a worker needs no routes.
    const { createApi } = await import('./api.ts');
    const app = await createApi(context, metrics.observe);
    address = await app.listen({ host: config.host, port: config.port });
    opened(() => app.close());
    if (url === '') url = address;
    // In API processes alone, because they have the repositories of the built-in git host.
    startReviews(context);
    startDeliveries(context);
    startAutomationHosts(context);
    startRefreshing(context);
    startFollowing(context);
    startMentions(context);
  }
  startCreatorWatch(context);
  startInviteMail(context);
  startAutomationRuns(context);
  startAutomationEvents(context);
  startConnections(context);
  startWebhooks(context);
  startScheduler(context);
  startNotifications(context);
  // A worker has no access to the built-in host's files.
  if (config.role !== 'worker') startIndexing(context);
  if (config.role !== 'worker') startWikis(context);
  if (runtime !== undefined && sandboxes !== undefined) {
    const { startRuntime } = await runtime;
    opened(await startRuntime(context, await sandboxes, address === '' ? url : address));
  }
  await maintenance;
  return {
    url: config.role === 'worker' ? '' : url,
    organization: first.organization,
    metrics_url: metricsUrl,
    admin_key: first.key,
    admin_key_file: first.key === '' ? '' : file,
    ...(config.role === 'worker' ? { worker: config.processId } : {}),
  };
}

function gauges(ctx: Context): Record<string, GaugeSource> {
  return {
    guildhall_sessions_queued: { help: 'Sessions that wait for a worker.', read: () => countStatus(ctx.db, 'queued') },
    guildhall_blob_store_writable: {
      help: '1 while every process here can write blobs, else 0.',
      ofSeveral: 'min',
      read: async () => (ctx.storage.problem === '' ? 1 : 0),
    },
    guildhall_stored_bytes: {
      help: 'Bytes that all organizations store in blobs and repositories.',
      read: async () => (await storageTotals(ctx)).usedBytes,
    },
    guildhall_organizations_full: {
      help: 'Organizations whose storage is full (GUILDHALL_STORAGE_MAX).',
      read: async () => (await storageTotals(ctx)).full,
    },
    guildhall_disk_low: {
      help: '1 while less of the disk is free than GUILDHALL_DISK_RESERVE, else 0.',
      read: async () => (ctx.disk.problem === '' ? 0 : 1),
    },
    guildhall_maintenance_failed_attempts: {
      help: 'Failed attempts in a row of a maintenance task; absent while it succeeds.',
      label: 'task',
      read: async () => new Map((await failingTasks(ctx.db)).map(({ task, attempts }) => [task, attempts])),
    },
    guildhall_outbox_behind: {
      help: 'Domain events that the slowest consumer has not handled yet.',
      read: () => countBehind(ctx.db.kysely),
    },
    guildhall_sessions_running: { help: 'Running sessions.', read: () => countStatus(ctx.db, 'running') },
  };
}
