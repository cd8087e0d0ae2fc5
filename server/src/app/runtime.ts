import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgentRunners } from '../adapters/agent/drivers.ts';
import { createPlaywrightDriver } from '../adapters/browser/playwright/driver.ts';
import { createSandboxDriver } from '../adapters/sandbox/drivers.ts';
import type { SandboxDriver } from '../adapters/sandbox/port.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/values.ts';
import { openSourceControl, type Context } from './context.ts';
import { createGateway } from '../gateway/gateway.ts';
import { knowRegistries } from '../gateway/registry/known.ts';
import type { Log } from '../lib/log.ts';
import { createTokenEntry } from '../lib/token-entry.ts';
import { defaultsOf } from '../features/settings/service.ts';
import { browserFiles } from '../runtime/browser/problem.ts';
import { prepareSandboxes } from '../runtime/prepared-sandboxes.ts';
import { lowerLimits, workerSandboxLimits } from '../runtime/session/attempt/work-settings.ts';
import { startBrowserHost } from '../runtime/browser/host.ts';
import { openHostCache } from '../runtime/host-cache.ts';
import type { WorkerContext } from '../runtime/context.ts';
import { serveLiveSessions } from '../runtime/live/host.ts';
import { LiveSessions } from '../runtime/live/live-sessions.ts';
import { stepLimitsMs } from '../runtime/step-limits.ts';
import { terminalTimings, workerTimings } from '../runtime/timings.ts';
import { serveMcpProbes } from '../runtime/mcp-servers/probe.ts';
import { startWorker } from '../runtime/worker.ts';
import { watchApi } from '../watch.ts';
import { socketDirectory } from './sockets.ts';

/** The time in milliseconds for the last checkpoint of running sessions; the whole process has 30 s. */
const drainMs = 20_000;

/**
 * Starts the worker of this process; returns a function that drains it. `apiUrl` is the URL at which it reaches the API
 * and the built-in git host.
 */
export async function startRuntime(ctx: Context, driver: SandboxDriver, apiUrl: string): Promise<() => Promise<void>> {
  const { config, log } = ctx;
  const api = await watchApi(apiUrl, ctx.installation, log);
  const registries = knowRegistries({ log, environment: config.environment });
  const sockets = await socketDirectory(config);
  const gateway = createGateway({
    log,
    egressAllow: config.egressAllow,
    registryFiles: config.registryFiles,
    registries: registries.read,
    directory: sockets,
    reach: driver.gateway,
  });
  const mirrorsDirectory = join(config.data, 'mirrors');
  const workDirectory = join(config.data, 'work');
  for (const directory of [mirrorsDirectory, workDirectory]) await mkdir(directory, { recursive: true, mode: 0o700 });
  const browser = createPlaywrightDriver();
  const prepared = await prepareSandboxes(driver, {
    count: config.preparedSandboxes,
    log,
    directory: join(sockets, 'prepared'),
    mountsBelow: [mirrorsDirectory, workDirectory],
    mountsOfAll: () => browserFiles({ browser, sandbox: driver }),
    limits: lowerLimits(defaultsOf('sandbox'), await workerSandboxLimits({ config, sandbox: driver })),
  });
  const workerContext: WorkerContext = {
    ...ctx,
    sourceControl: openSourceControl(ctx, () => apiUrl),
    sandbox: prepared.driver,
    gateway,
    registries,
    browser,
    agents: await createAgentRunners(),
    mirrorsDirectory,
    workDirectory,
    cache: openHostCache({
      mirrors: mirrorsDirectory,
      layers: join(workDirectory, 'layers'),
      layerStore: driver.layers,
      maxBytes: config.cacheMax,
      reserveBytes: config.diskReserve,
      log,
    }),
    apiUrl,
    problem: () => ctx.storage.problem || ctx.disk.problem || api.problem,
    stepLimitsMs,
    timings: workerTimings,
    live: new LiveSessions(),
    links: createTokenEntry(config.workerHost),
    terminalTimings,
  };
  const worker = await startWorker(workerContext, { slots: config.slots });
  const browsers = await startBrowserHost(workerContext);
  const stopCalls = [serveMcpProbes(workerContext), serveLiveSessions(workerContext)];
  return async () => {
    await Promise.all([browsers.stop(), ...stopCalls.map((stop) => stop()), worker.drain(drainMs), prepared.close()]);
    await Promise.all([gateway.close(), api.close(), workerContext.links.close()]);
  };
}

/** Returns the requested isolation. Throws a message that says what is missing; never falls back to another one. */
export async function chooseSandbox({ sandbox, data, environment }: Config, log: Log): Promise<SandboxDriver> {
  const driver = await createSandboxDriver(sandbox, { root: join(data, 'sandboxes'), log, environment });
  const { problem, isolation } = await driver.probe();
  if (problem !== '')
    throw new ConfigError(
      `Agents cannot be isolated here: ${problem} To run them without isolation, set GUILDHALL_SANDBOX=process; to start without a worker, use --role api.`,
    );
  if (isolation.kind === 'none')
    log.warn(`GUILDHALL_SANDBOX=${sandbox}: agents run without isolation, with the permissions of this process`);
  return driver;
}
