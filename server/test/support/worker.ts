import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createBuiltinRunner } from '../../src/adapters/agent/builtin/builtin-agent.ts';
import { createScriptRunner } from '../../src/adapters/agent/script/script-agent.ts';
import { createPlaywrightDriver } from '../../src/adapters/browser/playwright/driver.ts';
import { createTestSandboxes, shareRuntime } from './test-sandboxes.ts';
import type { Sandbox, SandboxDriver } from '../../src/adapters/sandbox/port.ts';
import { readConfig, type EgressRule } from '../../src/config/config.ts';
import { openSourceControl, type Context } from '../../src/app/context.ts';
import { openNotifications } from '../../src/db/notifications.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { defaultsOf } from '../../src/features/settings/service.ts';
import { knowRegistries } from '../../src/gateway/registry/known.ts';
import { createJobs } from '../../src/jobs/queue.ts';
import { queues } from '../../src/jobs/queues.ts';
import { createWorkerCalls } from '../../src/jobs/worker-calls.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { createLog, type Log } from '../../src/lib/log.ts';
import type { ModelConfig } from '../../src/lib/models.ts';
import { startBrowserHost, type BrowserHost, type BrowserHostOptions } from '../../src/runtime/browser/host.ts';
import type { WorkerContext } from '../../src/runtime/context.ts';
import { createTokenEntry } from '../../src/lib/token-entry.ts';
import { openHostCache } from '../../src/runtime/host-cache.ts';
import { serveLiveSessions } from '../../src/runtime/live/host.ts';
import { LiveSessions } from '../../src/runtime/live/live-sessions.ts';
import { stepLimitsMs } from '../../src/runtime/step-limits.ts';
import { terminalTimings, workerTimings, type TerminalTimings, type WorkerTimings } from '../../src/runtime/timings.ts';
import { serveMcpProbes } from '../../src/runtime/mcp-servers/probe.ts';
import { prepareSandboxes, type PreparedOptions } from '../../src/runtime/prepared-sandboxes.ts';
import { lowerLimits, workerSandboxLimits } from '../../src/runtime/session/attempt/work-settings.ts';
import { startWorker, type SessionWorker } from '../../src/runtime/worker.ts';
import { createClosing, type Closing } from './closing.ts';

export interface TestWorker extends SessionWorker {
  ctx: WorkerContext;
  /** The directory of its files. */
  directory: string;
  browsers: BrowserHost | undefined;
  /** Drains it and removes its files. */
  close(): Promise<void>;
}

export interface TestWorkerOptions {
  slots?: number;
  /** Its name in leases; by default that of the context. */
  id?: string;
  /** Its own directory; by default one below the data directory. */
  directory?: string;
  /** The database's URL; by default that of the API. */
  connectionString?: string;
  /** The URL of every model provider; by default that of the environment. */
  modelUrl?: string;
  modelIdleTimeoutMs?: number;
  /** Creates its sandboxes; by default bubblewrap. */
  sandbox?: (options: { root: string; log: Log; path: string }) => SandboxDriver;
  /** The sandboxes that it prepares; by default none, because most tests need few. */
  prepared?: Partial<PreparedOptions>;
  /** The egress rules and name resolution of its gateway. */
  gateway?: Partial<Pick<Parameters<typeof createGateway>[0], 'egressAllow' | 'lookup'>>;
  /** The environment of the host's package managers; by default without any, because querying them takes seconds. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Private addresses that may be reached; by default those of the environment. */
  egressAllow?: EgressRule[];
  /** By default those of the product. */
  timings?: Readonly<WorkerTimings>;
  terminalTimings?: Readonly<TerminalTimings>;
  /** Runs browsers for the API, too. */
  browsers?: BrowserHostOptions;
  /** Changes the context: an agent, a sandbox driver. */
  change?: (ctx: WorkerContext) => WorkerContext;
}

/** Returns a change of a worker's context that hands over each sandbox that it creates. */
export function withSandboxes(found: (sandbox: Sandbox) => void): (ctx: WorkerContext) => WorkerContext {
  return (ctx) => ({
    ...ctx,
    sandbox: {
      ...ctx.sandbox,
      create: async (options) => {
        const sandbox = await ctx.sandbox.create(options);
        found(sandbox);
        return sandbox;
      },
    },
  });
}

/** Number of workers of this process without a name of their own. */
let count = 0;

const noPackageManager = { PATH: '/nonexistent' };

/** Returns the configuration of an operator with one server for all providers. */
function modelsAt(url: string): ModelConfig {
  return readConfig([], {
    ANTHROPIC_API_KEY: 'key-of-anthropic',
    ANTHROPIC_BASE_URL: url,
    GOOGLE_GENERATIVE_AI_API_KEY: 'key-of-google',
    GOOGLE_GENERATIVE_AI_BASE_URL: url,
    OPENAI_API_KEY: 'key-of-openai',
    OPENAI_BASE_URL: `${url}/v1`,
    GUILDHALL_MODEL: 'openai/scripted',
  }).models;
}

/**
 * Starts a worker like a separate process: with its own directories, queue and real sandboxes. It shares database,
 * blobs and key ring with the API at `url`. A worker that does not start leaves nothing open.
 */
export async function startTestWorker(ctx: Context, url: string, options: TestWorkerOptions = {}): Promise<TestWorker> {
  const closing = createClosing();
  try {
    return await start(ctx, url, options, closing);
  } catch (error) {
    await closing.close().catch(() => undefined);
    throw new Error(`The test worker did not start: ${messageOf(error)}`, { cause: error });
  }
}

async function start(ctx: Context, url: string, options: TestWorkerOptions, closing: Closing): Promise<TestWorker> {
  const directory = options.directory ?? (await mkdtemp(join(ctx.config.data, 'worker-')));
  // A killed process may write a last file: 20 retries take up to 21 s.
  closing.add('its files', () => rm(directory, { recursive: true, force: true, maxRetries: 20 }));
  const workerContext = await createWorkerContext(ctx, url, options, directory, closing);
  const worker = await startWorker(workerContext, { slots: options.slots ?? 2 });
  closing.add('its sessions', () => worker.drain(10_000));
  closing.add('its calls', serveMcpProbes(workerContext));
  closing.add('its live sessions', serveLiveSessions(workerContext));
  const browsers = options.browsers === undefined ? undefined : await startBrowserHost(workerContext, options.browsers);
  if (browsers !== undefined) closing.add('its browsers', () => browsers.stop());
  return {
    ctx: workerContext,
    directory,
    drain: (timeoutMs) => worker.drain(timeoutMs),
    busy: () => worker.busy(),
    browsers,
    close: () => closing.close(),
  };
}

async function createWorkerContext(
  ctx: Context,
  url: string,
  options: TestWorkerOptions,
  directory: string,
  closing: Closing,
): Promise<WorkerContext> {
  const log = createLog(ctx.config.logLevel);
  const models = options.modelUrl === undefined ? ctx.config.models : modelsAt(options.modelUrl);
  const registries = knowRegistries({ log, environment: options.environment ?? noPackageManager });
  const sandboxOptions = { root: join(directory, 'sandboxes'), log, path: process.env['PATH'] ?? '' };
  const driver = (options.sandbox ?? createTestSandboxes)(sandboxOptions);
  const gateway = createGateway({
    log,
    reach: driver.gateway,
    egressAllow: options.egressAllow ?? ctx.config.egressAllow,
    registries: registries.read,
    ...(options.modelIdleTimeoutMs === undefined ? {} : { modelIdleTimeoutMs: options.modelIdleTimeoutMs }),
    directory: join(directory, 'gateway'),
    ...options.gateway,
  });
  closing.add('its gateway', () => gateway.close());
  const links = createTokenEntry('127.0.0.1');
  closing.add('its links', () => links.close());
  for (const name of ['sandboxes', 'mirrors', 'work']) await mkdir(join(directory, name), { recursive: true });
  await shareRuntime(join(directory, 'sandboxes'));
  const prepared = await prepareSandboxes(driver, {
    count: 0,
    log,
    directory: join(directory, 'gateway', 'prepared'),
    mountsBelow: [join(directory, 'mirrors'), join(directory, 'work')],
    mountsOfAll: async () => [],
    limits: lowerLimits(defaultsOf('sandbox'), await workerSandboxLimits({ config: ctx.config, sandbox: driver })),
    ...options.prepared,
  });
  closing.add('its prepared sandboxes', () => prepared.close());
  const connectionString = options.connectionString ?? ctx.config.databaseUrl;
  const db = openDatabase({
    connectionString,
    maxConnections: 10,
    usualConnections: 3,
    applicationName: 'guildhall test worker',
  });
  closing.add('its database', () => db.close());
  const jobs = createJobs({ connectionString, applicationName: 'guildhall test worker', queues, log });
  closing.add('its jobs', () => jobs.stop({ graceMs: 0 }));
  await jobs.start();
  const notifications = await openNotifications(connectionString, log);
  closing.add('its notifications', () => notifications.close());
  const plain: WorkerContext = {
    ...ctx,
    db,
    sourceControl: openSourceControl({ ...ctx, db }, () => url),
    jobs,
    notifications,
    workerCalls: createWorkerCalls({ db, notifications, log }),
    config: { ...ctx.config, models, processId: options.id ?? `${ctx.config.processId}-${(count += 1)}` },
    sandbox: prepared.driver,
    gateway,
    registries,
    browser: createPlaywrightDriver(),
    agents: { builtin: createBuiltinRunner({ retryBaseMs: 20 }), script: createScriptRunner() },
    mirrorsDirectory: join(directory, 'mirrors'),
    workDirectory: join(directory, 'work'),
    cache: openHostCache({
      mirrors: join(directory, 'mirrors'),
      layers: join(directory, 'work', 'layers'),
      layerStore: driver.layers,
      maxBytes: ctx.config.cacheMax,
      reserveBytes: ctx.config.diskReserve,
      log,
    }),
    apiUrl: url,
    problem: () => ctx.storage.problem,
    stepLimitsMs,
    timings: options.timings ?? workerTimings,
    live: new LiveSessions(),
    links,
    terminalTimings: options.terminalTimings ?? terminalTimings,
  };
  return options.change?.(plain) ?? plain;
}
