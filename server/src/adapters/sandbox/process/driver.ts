import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../../lib/log.ts';
import { spawnProgram, type Program } from '../../../lib/spawn/spawn.ts';
import { enterGroups, findLimiter, groupName, removeGroups, type Limiter, type LimitGroup } from '../limits.ts';
import { createLayerStore, type LayerStore } from '../layer-store.ts';
import { describeIsolation } from '../isolation.ts';
import type { SandboxDriver, SandboxIsolation, SandboxOptions } from '../port.ts';
import { superviseSandbox, type Launched } from '../running.ts';
import { createSandboxDirectories, type SandboxDirectories } from '../sandbox-directories.ts';
import { supervisorTimings, type SupervisorTimings } from '../supervisor/connection.ts';
import { baseEnv, closeInherited, runSystem, samePath, systemEnv } from '../system.ts';
import { createDiskWatch } from '../watch-disk.ts';

export interface ProcessOptions {
  /** The driver's directory, on a local file system; the workers of a host may share it. */
  root: string;
  log: Log;
  /** PATH of every command; the system's directories by default. */
  path?: string;
  timings?: Readonly<SupervisorTimings>;
}

const supervisor = fileURLToPath(new URL('../supervisor/supervisor.pl', import.meta.url));
/** The supervisor's descriptor of its socket. */
const line = 3;
/** Environment variable that marks all processes of a sandbox, because there is no process namespace to kill. */
const marker = 'GUILDHALL_SANDBOX';
const killRounds = 200;
const copyWithinMs = 15 * 60_000;

/**
 * Creates a driver without isolation: commands are processes of the worker's user on this machine, in separate directories,
 * with an explicit environment and timeouts. An operator must choose it. Limits need writable control groups, except for
 * the disk limit.
 */
export function createProcessDriver({
  root,
  log,
  path = systemEnv.PATH,
  timings = supervisorTimings,
}: ProcessOptions): SandboxDriver {
  const directories = createSandboxDirectories(root, log);
  const layers = createLayerStore(root, log);
  const disks = createDiskWatch();
  let finding: Promise<Limiter> | undefined;
  const limiter = (): Promise<Limiter> => {
    finding ??= findLimiter();
    return finding;
  };
  return {
    name: 'process',
    // The sandboxes use the machine's network.
    gateway: { by: 'network', host: '127.0.0.1' },
    mounts: samePath,
    places: undefined,
    layers,
    prepare: undefined,
    async probe() {
      if (process.platform !== 'linux') {
        const problem = `The process driver needs Linux; this is ${process.platform}.`;
        return { problem, isolation: isolationOf('none') };
      }
      return { problem: '', isolation: isolationOf((await limiter()).kind) };
    },
    async create(options) {
      options.signal?.throwIfAborted();
      await mkdir(root, { recursive: true, mode: 0o700 });
      await chmod(root, 0o700);
      const { directory, fresh } = await directories.open(options.id);
      try {
        const running = await superviseSandbox(
          await launch({ root, directories, layers, path, limiter: await limiter() }, directory, options),
          { ...options, timings },
        );
        disks.add(running, { directory, first: undefined }, options.limits.disk_mb);
        return running.sandbox;
      } catch (error) {
        await (fresh ? directories.removeClaimed(options.id) : directories.close(options.id));
        throw error;
      }
    },
    discard: (id) => directories.remove(id),
    async sweep() {
      const found = await limiter();
      await layers.sweep();
      return directories.sweep(async (id) => {
        await removeGroups(found.directories(groupName(root, id)));
        await killMarked(markOf(root, id));
        await rm(secretsOf(root, id), { recursive: true, force: true });
      });
    },
  };
}

function isolationOf(limits: Limiter['kind']): SandboxIsolation {
  return describeIsolation({ kind: 'none', own_user: false, limits, disk: 'poll' });
}

interface Machine {
  root: string;
  directories: SandboxDirectories;
  layers: LayerStore;
  path: string;
  limiter: Limiter;
}

async function launch(machine: Machine, directory: string, options: SandboxOptions): Promise<Launched> {
  const { root, directories, layers, path, limiter } = machine;
  const name = groupName(root, options.id);
  const release = async (): Promise<void> => {
    await removeGroups(limiter.directories(name));
    await killMarked(mark);
    await rm(secrets, { recursive: true, force: true });
  };
  const mark = markOf(root, options.id);
  const secrets = secretsOf(root, options.id);
  const workspace = join(directory, 'workspace');
  const home = join(directory, 'home');
  let child: Program;
  let group: LimitGroup;
  try {
    // Kills leftovers of an earlier worker, which could still write to these files.
    await killMarked(mark);
    if (options.layer !== undefined && !existsSync(home)) await copyLayer(layers.pathOf(options.layer), directory);
    await Promise.all([workspace, home].map((part) => mkdir(part, { recursive: true })));
    await rm(secrets, { recursive: true, force: true });
    await mkdir(secrets, { mode: 0o700 });
    group = await limiter.create(name, options.limits);
    const [program = '', ...rest] = closeInherited(
      line,
      enterGroups(group.entryFiles, ['perl', supervisor, String(line)]),
    );
    child = spawnProgram(program, rest, {
      cwd: workspace,
      env: { ...systemEnv, [marker]: mark },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    await release();
    throw error;
  }
  return {
    id: options.id,
    process: child,
    line,
    workspace,
    home,
    secrets,
    programs: dirname(supervisor),
    init: {
      env: { ...baseEnv(path, home), ...options.env, [marker]: mark },
      port: 0,
      gateway: options.gateway,
      // 0: it sees all processes of the machine, few of which are its own.
      roomFor: 0,
    },
    oomKills: () => group.oomKills(),
    kill: () => void child.kill('SIGKILL'),
    release,
    directories,
    saveLayer: () => layers.save((target) => copyParts(directory, target)),
  };
}

function markOf(root: string, id: string): string {
  return `${root}/${id}`;
}

/** Directory of secrets, in memory, never on a disk. */
function secretsOf(root: string, id: string): string {
  return `/dev/shm/guildhall-${groupName(root, id)}`;
}

/** Kills every process with this mark, repeatedly, because one may start another meanwhile. */
async function killMarked(mark: string): Promise<void> {
  for (let round = 0; round < killRounds; round += 1) {
    const pids = await findMarked(mark);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended already.
      }
    }
    await delay(5);
  }
}

async function findMarked(mark: string): Promise<number[]> {
  const entry = Buffer.from(`${marker}=${mark}\0`);
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await readFile(`/proc/${name}/environ`).catch(() => undefined);
    const at = environment?.indexOf(entry) ?? -1;
    if (environment !== undefined && (at === 0 || (at > 0 && environment[at - 1] === 0))) found.push(Number(name));
  }
  return found;
}

/** Copies a base layer into the directory of a new sandbox. */
async function copyLayer(layer: string, directory: string): Promise<void> {
  const fresh = join(directory, 'new');
  await rm(fresh, { recursive: true, force: true });
  await copyParts(layer, fresh);
  await rename(join(fresh, 'workspace'), join(directory, 'workspace'));
  await rename(join(fresh, 'home'), join(directory, 'home'));
  await rm(fresh, { recursive: true });
}

async function copyParts(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const parts = [join(source, 'workspace'), join(source, 'home')];
  await runSystem(['cp', '-a', '--reflink=auto', '--', ...parts, target], copyWithinMs);
}
