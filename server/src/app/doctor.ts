import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gitProblem } from '../git/version.ts';
import { createPlaywrightDriver } from '../adapters/browser/playwright/driver.ts';
import { createSandboxDriver } from '../adapters/sandbox/drivers.ts';
import type { SandboxDriver } from '../adapters/sandbox/port.ts';
import type { Config } from '../config/config.ts';
import { hasCluster } from '../db/embedded/layout.ts';
import { hostRegistries, type HostRegistries } from '../gateway/registry/registries.ts';
import type { FailingTask } from '../jobs/maintenance-store.ts';
import { describeRing } from './key-ring.ts';
import { shownBytes } from '../lib/bytes.ts';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { machineMemory } from '../lib/machine-memory.ts';
import { oneLine } from '../lib/one-line.ts';
import { runProgram } from '../lib/program.ts';
import { sandboxMemoryMb } from '../runtime/session/attempt/work-settings.ts';

interface Check {
  readonly name: string;
  /** True for what Guildhall requires; without the others some sessions lack a feature. */
  readonly needed: boolean;
  /** Returns what was found; throws the problem. */
  look(): Promise<string>;
}

export interface DatabaseState {
  version: string;
  /** The number of migrations that the next start applies. */
  pending: number;
  failing: readonly FailingTask[];
}

/** Prints what this machine supports, and what is missing. Returns true if nothing required is missing. */
export async function doctor(config: Config, log: Log, database: () => Promise<DatabaseState>): Promise<boolean> {
  return withSandboxRoot(config.data, (root) => lookAtAll(config, log, { root, database }));
}

/** Calls `use` with the directory of sandboxes, or, where there is no installation, with a temporary one on the same disk. */
async function withSandboxRoot<T>(data: string, use: (root: string) => Promise<T>): Promise<T> {
  const root = join(data, 'sandboxes');
  let parent = root;
  while (!existsSync(parent)) parent = dirname(parent);
  if (parent === root) return use(root);
  // Where nothing can be written, the driver reports the problem.
  const temporary = await mkdtemp(join(parent, 'guildhall-doctor-')).catch(() => undefined);
  if (temporary === undefined) return use(root);
  try {
    return await use(temporary);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function lookAtAll(
  config: Config,
  log: Log,
  { root, database }: { root: string; database: () => Promise<DatabaseState> },
): Promise<boolean> {
  const registries = await hostRegistries({ log, environment: config.environment });
  const { data, databaseUrl, environment } = config;
  const driver = await createSandboxDriver(config.sandbox, { root, log, environment });
  const checks: Check[] = [
    { name: 'node', needed: true, look: async () => process.version },
    { name: 'git', needed: true, look: () => hostGit(config) },
    { name: 'sandbox', needed: true, look: () => sandbox(driver) },
    { name: 'memory', needed: true, look: () => memory(config, driver) },
    { name: 'npm registry', needed: true, look: async () => npmRegistry(registries) },
    { name: 'pip index', needed: false, look: async () => pipIndex(registries) },
    { name: 'socat', needed: false, look: () => versionOf(config, ['socat', '-V']) },
    { name: 'browser', needed: false, look: browser },
    { name: 'model', needed: false, look: async () => model(config) },
    { name: 'key ring', needed: true, look: () => describeRing(config) },
    { name: 'disk', needed: true, look: () => disk(config) },
    // The first start creates it.
    {
      name: 'database',
      needed: databaseUrl !== '' || hasCluster(data),
      look: async () => databaseVersion(await database()),
    },
    { name: 'maintenance', needed: false, look: async () => maintenance(await database()) },
  ];
  let isWell = true;
  for (const { name, needed, look } of checks) {
    const [mark, found] = await look().then(
      (text) => ['✓', text] as const,
      (error: unknown) => [needed ? '✗' : '–', messageOf(error)] as const,
    );
    process.stdout.write(`  ${mark} ${name.padEnd(14)} ${oneLine(found)}\n`);
    if (mark === '✗') isWell = false;
  }
  return isWell;
}

async function versionOf({ environment: env }: Config, command: string[]): Promise<string> {
  const { stdout } = await runProgram(command, { env, timeoutMs: 10_000 });
  const lines = stdout.split('\n');
  return (lines.find((line) => line.includes('version')) ?? lines[0] ?? '').trim();
}

async function hostGit(config: Config): Promise<string> {
  const version = await versionOf(config, ['git', '--version']);
  const problem = await gitProblem(Promise.resolve(version));
  if (problem !== '') throw new Error(problem);
  return version;
}

async function sandbox(driver: Pick<SandboxDriver, 'name' | 'probe'>): Promise<string> {
  const { problem, isolation } = await driver.probe();
  if (problem !== '') throw new Error(problem);
  const user = isolation.own_user ? 'a separate user each' : 'no separate user (needs root)';
  const names = isolation.advisory.join(', ');
  const advisory = names === '' ? 'all limits hold' : `advisory, so that hostile code can get around them: ${names}`;
  const name = isolation.kind === 'none' ? `${driver.name}, which isolates nothing` : driver.name;
  return `${name}, limits by ${isolation.limits}, disk by ${isolation.disk}, ${user}; ${advisory}`;
}

/** Reports the memory limits of sandboxes, and the effect when they need more at once. */
async function memory({ slots, sandboxMax }: Config, driver: Pick<SandboxDriver, 'probe'>): Promise<string> {
  const { isolation } = await driver.probe();
  const { totalMb, sandboxesMb } = machineMemory();
  const shown = (mebibytes: number): string => shownBytes(mebibytes * 2 ** 20);
  const { memory_mb: chosen } = sandboxMax;
  const oneMb = Math.min(sandboxesMb, chosen ?? sandboxMemoryMb(slots, isolation.limits));
  const why = chosen === undefined ? 'by default' : 'by GUILDHALL_SANDBOX_MAX';
  const all = isolation.limits.startsWith('cgroup')
    ? `all of them together ${shown(sandboxesMb)}`
    : 'and no common limit, because control groups are missing';
  const mayFight = `; sessions in ${slots} slots may need more at once, and then the largest program is killed`;
  const conflict = oneMb * slots > sandboxesMb ? mayFight : '';
  return `${shown(totalMb)}; a sandbox may take ${shown(oneMb)} of it (${why}), ${all}${conflict}`;
}

function npmRegistry({ npm, unread }: HostRegistries): string {
  if (npm === undefined)
    throw new Error(unread?.npm ?? 'npm is not configured here, so sandboxes cannot install packages');
  return npm.isDefault ? 'the default one' : npm.main.url.host;
}

function pipIndex({ pip, unread }: HostRegistries): string {
  if (pip === undefined) throw new Error(unread?.pip ?? 'pip is missing, so sandboxes cannot install Python packages');
  return pip.url.host;
}

async function browser(): Promise<string> {
  const problem = await createPlaywrightDriver().probe();
  if (problem !== '') throw new Error(problem);
  return 'Chromium';
}

function databaseVersion({ version, pending }: DatabaseState): string {
  const migrations = pending === 1 ? '1 migration' : `${pending} migrations`;
  return pending === 0 ? version : `${version}; the next start applies ${migrations}`;
}

function maintenance({ pending, failing }: DatabaseState): string {
  if (pending > 0) throw new Error('unknown until the database is up to date');
  if (failing.length === 0) return 'no task failed last time';
  throw new Error(failing.map(({ attempts, reason }) => `failed ${attempts} times: ${reason}`).join('; '));
}

function model({ models: { defaultModel, providers } }: Config): string {
  if (providers.length === 0) throw new Error('none is configured here; organizations may configure their own');
  const names = providers.map(({ name }) => name).join(', ');
  if (defaultModel === undefined) return `${names}; none by default: set GUILDHALL_MODEL`;
  return `${names}; by default ${defaultModel.provider}/${defaultModel.name}`;
}

async function disk({ data, cacheMax, diskReserve, storageMax }: Config): Promise<string> {
  const { bavail, bsize } = await statfs(existsSync(data) ? data : '.');
  const free = bavail * bsize;
  const found = `${shownBytes(free)} are free for ${data}`;
  if (free < diskReserve)
    throw new Error(`${found}, less than GUILDHALL_DISK_RESERVE (${shownBytes(diskReserve)}): no session starts here`);
  const share = storageMax === 0 ? 'unlimited space' : `at most ${shownBytes(storageMax)}`;
  const copies = cacheMax === 0 ? 'any number of bytes' : `at most ${shownBytes(cacheMax)}`;
  return `${found}; an organization may store ${share}, and the worker's mirrors and layers use ${copies}`;
}
