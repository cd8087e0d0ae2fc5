import { setTimeout as delay } from 'node:timers/promises';
import { gitProblem } from '../git/version.ts';
import type { Config } from '../config/config.ts';
import { configOfShare, directoryOf, type Share } from './share.ts';
import { ConfigError } from '../config/values.ts';
import { lockDataDirectory, type FileLock } from '../lib/file-lock.ts';
import { codeOf, messageOf } from '../lib/errors.ts';
import { createLog, type Log } from '../lib/log.ts';
import { divideMachine } from '../lib/machine-share.ts';
import { portProblem } from '../lib/ports.ts';
import { startDatabase } from './database.ts';
import { hearOrders, sendReport } from './process-messages.ts';
import type { Ready, ServingOptions } from './serving.ts';

export interface RunningServer {
  ready: Ready;
  /** Reports that it is not ready, and continues serving for `GUILDHALL_DRAIN_DELAY`, or until `now` aborts. */
  leave: (now: AbortSignal) => Promise<void>;
  /** Stops accepting work, lets running sessions checkpoint, and closes everything; within 30 s. */
  stop: () => Promise<void>;
}

export interface StartOptions {
  keepAdminKey: (path: string, key: string) => Promise<void>;
}

/** Starts everything that the role requires. Throws a message for the operator, and leaves nothing open then. */
export async function startServer(config: Config, options: StartOptions): Promise<RunningServer> {
  const log = createLog(config.logLevel, 2, config.logFormat);
  for (const warning of config.warnings) log.warn(warning);
  return start(config, { ...options, log, claim: () => claimMachine(config), offerMetrics: listenForScraper(config) });
}

/** Does the same as one of several processes, whose supervising process has the data directory and the port. */
export async function startShare(whole: Config, share: Share, options: StartOptions): Promise<RunningServer> {
  const config = configOfShare(whole, share);
  const log = createLog(config.logLevel, 2, config.logFormat, { process: share.number });
  divideMachine(share.count);
  // One of a supervising process that was killed ends a moment after it.
  const claim = () => lockDataDirectory(directoryOf(whole, share.number), { timeoutMs: 10_000 });
  return start(config, { ...options, log, claim, offerMetrics: answerSupervisor });
}

async function start(
  config: Config,
  options: StartOptions & { log: Log; claim: () => Promise<FileLock>; offerMetrics: ServingOptions['offerMetrics'] },
): Promise<RunningServer> {
  const { log, claim, keepAdminKey, offerMetrics } = options;
  const leaving = new AbortController();
  const closing = new AbortController();
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    leaving.abort();
    closing.abort();
    for (const close of undo.splice(0).reverse()) await close();
  };
  try {
    const lock = await claim();
    undo.push(lock.release);
    const { connectionString, stop: stopDatabase } = await beginDatabase(config, log);
    undo.push(stopDatabase);
    // Obstacles are reported before everything else is loaded, and meanwhile the database starts.
    const { serve } = await import('./serving.ts');
    const ready = await serve(config, {
      log,
      connectionString,
      leaving: leaving.signal,
      closing: closing.signal,
      keepAdminKey,
      offerMetrics,
      opened: (close) => void undo.push(close),
    });
    return { ready, leave: (now) => waitToDrain(leaving, config.drainDelayMs, now), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the database until its process runs; the URL follows when it answers. */
async function beginDatabase(config: Config, log: Log) {
  const { promise: begun, resolve: onProcess } = Promise.withResolvers<void>();
  const database = startDatabase(config, log, { onProcess });
  const connectionString = database.then((started) => started.connectionString);
  // Whoever awaits it hears of the failure.
  connectionString.catch(() => undefined);
  await Promise.race([begun, database]);
  return {
    connectionString,
    stop: () =>
      database.then(
        (started) => started.stop(),
        () => undefined,
      ),
  };
}

/** Marks the process as leaving, and serves for a while; `now` ends that. */
export async function waitToDrain(leaving: AbortController, delayMs: number, now: AbortSignal): Promise<void> {
  leaving.abort();
  await delay(delayMs, undefined, { signal: now }).catch(() => undefined);
}

function listenForScraper({ metricsPort }: Config): ServingOptions['offerMetrics'] {
  return async (metrics, opened) => {
    const { serveMetrics } = await import('../http/metrics-server.ts');
    const server = await serveMetrics(metricsPort, metrics.text);
    opened(server.close);
    return server.url;
  };
}

const answerSupervisor: ServingOptions['offerMetrics'] = async (metrics) => {
  hearOrders((order) => {
    if (order.order !== 'metrics') return;
    // Without the database there are none.
    const read = metrics.values().catch(() => []);
    void read.then((values) => sendReport({ report: 'metrics', id: order.id, values }));
  });
  return '';
};

/** Locks the data directory, and checks what every start needs. Throws {@link ConfigError}, and holds no lock then. */
export async function claimMachine(config: Config): Promise<FileLock> {
  const lock = await lockData(config.data);
  try {
    await requirePorts(config);
    await requireGit();
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function lockData(data: string): Promise<FileLock> {
  try {
    return await lockDataDirectory(data);
  } catch (error) {
    const isSystem = /^E[A-Z]+$/.test(codeOf(error));
    const reason = messageOf(error).replace(/^(\w+: [^,]*),.*$/s, '$1');
    const problem = isSystem ? `Cannot write to the data directory ${data}: ${reason}.` : messageOf(error);
    throw new ConfigError(`${problem} The data directory is set by --data or GUILDHALL_DATA.`, {
      cause: error,
    });
  }
}

/** Throws {@link ConfigError} if git is missing or too old. */
async function requireGit(): Promise<void> {
  const problem = await gitProblem();
  if (problem !== '') throw new ConfigError(problem);
}

/** Checks the ports before anything is created. Throws {@link ConfigError}. */
async function requirePorts({ role, host, port, metricsPort, workerHost }: Config): Promise<void> {
  const wrongHost = await portProblem(host, 0);
  if (role !== 'worker' && wrongHost !== '')
    throw new ConfigError(`GUILDHALL_HOST is ${JSON.stringify(host)}, which ${wrongHost}.`);
  const problem = role === 'worker' || port === 0 ? '' : await portProblem(host, port);
  if (problem !== '')
    throw new ConfigError(`Port ${port} of ${host} ${problem}. Choose another by --port or GUILDHALL_PORT.`);
  const wrongWorkerHost = role === 'api' ? '' : await workerHostProblem(workerHost);
  if (wrongWorkerHost !== '')
    throw new ConfigError(`GUILDHALL_WORKER_HOST is ${JSON.stringify(workerHost)}, which ${wrongWorkerHost}.`);
  const metricsProblem = metricsPort === 0 ? '' : await portProblem('127.0.0.1', metricsPort);
  if (metricsProblem !== '')
    throw new ConfigError(
      `Port ${metricsPort}, for metrics, ${metricsProblem}. Choose another by GUILDHALL_METRICS_PORT; 0 is a free one.`,
    );
}

/** API processes connect to this address, so it must be a certain one. */
async function workerHostProblem(host: string): Promise<string> {
  if (host === '0.0.0.0' || host === '::')
    return 'stands for all addresses; name the one at which API processes reach it';
  return portProblem(host, 0);
}
