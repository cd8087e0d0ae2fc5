import { join } from 'node:path';
import type { Config } from './config.ts';
import { createApi } from './api.ts';
import { createContext, type Context } from './context.ts';
import { startChainer } from './features/audit-logs/chain.ts';
import { countStatus } from './features/health/store.ts';
import { startInviteMail } from './features/invites/jobs.ts';
import { bootstrap } from './features/organizations/service.ts';
import { createMetrics } from './http/metrics.ts';
import { acquireDataLock } from './lib/data-lock.ts';
import { createLog } from './lib/log.ts';
import { startPurge, startUpkeep } from './upkeep.ts';

/** What a started process says. `url` is `''` for a worker; the key is `''` but on the first start. */
export interface Ready {
  url: string;
  organization: string;
  metrics_url: string;
  admin_key: string;
  admin_key_file: string;
}

export interface RunningServer {
  ready: Ready;
  /** Takes no new work, lets running sessions checkpoint, and closes everything; within 30 s. */
  stop: () => Promise<void>;
}

/** Starts everything the role asks for. Throws a message for the operator; nothing it opened stays open then. */
export async function startServer(
  config: Config,
  options: { keepAdminKey: (path: string, key: string) => Promise<void> },
): Promise<RunningServer> {
  const log = createLog(config.logLevel);
  const closing = new AbortController();
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    closing.abort();
    for (const close of undo.splice(0).reverse()) await close();
  };
  try {
    const lock = acquireDataLock(config.data);
    undo.push(async () => lock.release());
    let url = config.url;
    const { context, close } = await createContext(config, { log, closing: closing.signal, baseUrl: () => url });
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
    };
    return { ready, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function gauges(ctx: Context) {
  return {
    guildhall_sessions_queued: { help: 'Sessions that wait for a worker.', read: () => countStatus(ctx.db, 'queued') },
    guildhall_sessions_running: { help: 'Sessions that run.', read: () => countStatus(ctx.db, 'running') },
  };
}
