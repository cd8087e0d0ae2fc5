import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createBubblewrapDriver } from '../../server/src/adapters/sandbox/bubblewrap/driver.ts';
import { enterGroups, findLimiter, groupName, removeGroups } from '../../server/src/adapters/sandbox/limits.ts';
import type { Sandbox } from '../../server/src/adapters/sandbox/port.ts';
import { createGateway, type GatewayEndpoint } from '../../server/src/gateway/gateway.ts';
import { hostRegistries } from '../../server/src/gateway/registry/registries.ts';
import { createLog } from '../../server/src/lib/log.ts';
import { packageProject, writeProject, type PackageProject } from './packages-project.ts';

/** Ways to install the packages, in this order. None removes files, because that makes later writing slower on some disks. */
const ways = ['downloaded', 'cached', 'asked'] as const;
/**
 * `downloaded`: with an empty cache; `cached`: from npm's cache, without the network; `asked`: with an empty cache and a lockfile
 * without addresses.
 */
type Way = (typeof ways)[number];

export interface PackageFigures {
  packages: number;
  /** Milliseconds, medians. */
  direct: Record<Way, number>;
  sandbox: Record<Way, number>;
  /** Milliseconds of a processor in the gateway. */
  gateway: Record<Way, number>;
  /** Milliseconds to keep the result as a layer. */
  savedMs: number;
}

const installed = 'npm ci --ignore-scripts --no-audit --no-fund --loglevel error';
const limits = { cpu: 8, memory_mb: 8192, disk_mb: 16_384, pids: 1024 };
const timeoutMs = 20 * 60_000;

/** Installs packages of the host's npm registry in turns directly on this machine and in a sandbox through its gateway. */
export async function benchPackages(options: {
  directory: string;
  packages: number;
  rounds: number;
  say: (line: string) => void;
}): Promise<PackageFigures> {
  const { directory, packages, rounds, say } = options;
  const log = createLog('silent');
  const found = await hostRegistries({ log, environment: process.env });
  if (found.npm === undefined) throw new Error('npm on this machine has no registry.');
  const project = packageProject(join(import.meta.dirname, '../..'), found.npm.main.url.href, packages);
  const gateway = createGateway({
    log,
    directory: join(directory, 'packages-doors'),
    registries: async () => found,
    egressAllow: [],
  });
  const seen: Record<'direct' | 'sandbox' | 'gateway', Record<Way, number>[]> = {
    direct: [],
    sandbox: [],
    gateway: [],
  };
  const saved: number[] = [];
  try {
    const endpoint = await gateway.open({
      id: 'ses_bench',
      holds: () => Promise.resolve(true),
      repositories: [],
      network: 'registries',
      allowedHosts: [],
    });
    for (let round = 1; round <= rounds; round += 1) {
      say(`${project.packages} packages, round ${round} of ${rounds}: directly`);
      seen.direct.push(await directly(directory, project));
      say(`${project.packages} packages, round ${round} of ${rounds}: in a sandbox`);
      const { ms, cpuMs, savedMs } = await sandboxed(directory, project, endpoint);
      seen.sandbox.push(ms);
      seen.gateway.push(cpuMs);
      saved.push(savedMs);
    }
  } finally {
    await gateway.close();
  }
  return {
    packages: project.packages,
    direct: medians(seen.direct),
    sandbox: medians(seen.sandbox),
    gateway: medians(seen.gateway),
    savedMs: median(saved),
  };
}

/** Runs npm in control groups like those of a sandbox: these have one share of the processors that others use, too. */
async function directly(directory: string, project: PackageProject): Promise<Record<Way, number>> {
  const place = mkdtempSync(join(directory, 'packages-'));
  const limiter = await findLimiter();
  const name = groupName(place, 'direct');
  const { entryFiles } = await limiter.create(name, limits);
  try {
    return await installDirectly(place, project, entryFiles);
  } finally {
    await removeGroups(limiter.directories(name));
  }
}

function installDirectly(place: string, project: PackageProject, entryFiles: readonly string[]) {
  return timed(async (way) => {
    const { lockfile, command, cache } = installationOf(project, way);
    writeProject(join(place, way), project.manifest, lockfile);
    const env = {
      ...process.env,
      // The programs of a sandbox.
      PATH: `/usr/local/bin:/usr/bin:/bin:${process.env['PATH'] ?? ''}`,
      npm_config_cache: join(place, cache),
    };
    const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit'];
    const [program = '', ...rest] = enterGroups(entryFiles, ['bash', '-c', command]);
    const child = spawn(program, rest, { cwd: join(place, way), env, stdio });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`\`${command}\` ended with ${String(code)}.`);
  });
}

async function sandboxed(directory: string, project: PackageProject, endpoint: GatewayEndpoint) {
  const root = mkdtempSync(join(directory, 'packages-sandboxes-'));
  const driver = createBubblewrapDriver({ root, log: createLog('silent'), path: process.env['PATH'] ?? '' });
  const sandbox = await driver.create({ id: 'bench-packages', limits, gateway: await endpoint.address() });
  try {
    const env = await endpoint.environment(sandbox.gatewayUrl);
    const cpuMs = noTimes();
    let savedMs = 0;
    const ms = await timed(
      async (way) => {
        const before = process.cpuUsage();
        await installInside(sandbox, project, way, env);
        const { user, system } = process.cpuUsage(before);
        cpuMs[way] = (user + system) / 1_000;
      },
      async (way) => {
        if (way !== 'downloaded') return;
        const begun = performance.now();
        await sandbox.saveLayer();
        savedMs = performance.now() - begun;
      },
    );
    return { ms, cpuMs, savedMs };
  } finally {
    await sandbox.stop();
  }
}

async function installInside(sandbox: Sandbox, project: PackageProject, way: Way, env: Record<string, string>) {
  const { lockfile, command, cache } = installationOf(project, way);
  const cwd = `${sandbox.workspace}/${way}`;
  await sandbox.writeFile(`${cwd}/package.json`, project.manifest);
  await sandbox.writeFile(`${cwd}/package-lock.json`, lockfile);
  const variables = { ...env, npm_config_cache: `${sandbox.home}/${cache}` };
  const { exitCode, stderr } = await sandbox.exec({ command, env: variables, cwd, timeoutMs });
  if (exitCode !== 0) throw new Error(`\`${command}\` ended with ${exitCode} in a sandbox: ${stderr.toString()}`);
}

function installationOf({ lockfile, lockfileWithoutAddresses }: PackageProject, way: Way) {
  return {
    lockfile: way === 'asked' ? lockfileWithoutAddresses : lockfile,
    command: way === 'cached' ? `${installed} --offline` : installed,
    cache: way === 'asked' ? 'cache-asked' : 'cache',
  };
}

async function timed(
  install: (way: Way) => Promise<void>,
  after: (way: Way) => Promise<void> = async () => undefined,
): Promise<Record<Way, number>> {
  const ms = noTimes();
  for (const way of ways) {
    const begun = performance.now();
    await install(way);
    ms[way] = performance.now() - begun;
    await after(way);
  }
  return ms;
}

function noTimes(): Record<Way, number> {
  return { downloaded: 0, cached: 0, asked: 0 };
}

function medians(times: readonly Record<Way, number>[]): Record<Way, number> {
  const of = (way: Way): number => median(times.map((one) => one[way]));
  return { downloaded: of('downloaded'), cached: of('cached'), asked: of('asked') };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
