import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { machineMemory } from '../../lib/machine-memory.ts';
import { hasErrorCode } from './ownership.ts';
import type { SandboxLimits } from './port.ts';
import { runSystem } from './system.ts';

/** The memory of the supervisor itself, added to the limit of the commands. */
const supervisorMemoryMb = 48;
const supervisorPids = 8;
const emptyWithinMs = 5_000;
const controllers = '+memory +pids +cpu';

/** Control groups of one sandbox; a no-op without control groups. */
export interface LimitGroup {
  /** Files to which the first process writes its own pid before it becomes the sandbox. */
  readonly entryFiles: readonly string[];
  /** Returns the number of processes that the kernel killed because the group was out of memory. */
  oomKills(): number;
}

export interface Limiter {
  readonly kind: 'cgroup2' | 'cgroup1' | 'none';
  /** Directories that `create` makes for a name. */
  directories(name: string): string[];
  create(name: string, limits: SandboxLimits): Promise<LimitGroup>;
}

/** The common parent group of all sandboxes of this machine, of any installation. */
interface ParentGroup {
  /** Name of the group. */
  group: string;
  memoryMb: number;
}

interface Hierarchy extends ParentGroup {
  kind: 'cgroup2' | 'cgroup1';
  /** Parent directories of that group, one per hierarchy. */
  bases: { memory: string; pids: string; cpu: string };
}

const noGroup: LimitGroup = { entryFiles: [], oomKills: () => 0 };

/**
 * Finds control groups that this process may use, by trying. All sandboxes together are limited to the memory that the machine
 * has for them; beyond it the kernel kills the largest program in one of them.
 */
export async function findLimiter(
  together: ParentGroup = { group: 'guildhall', memoryMb: machineMemory().sandboxesMb },
): Promise<Limiter> {
  for (const found of await listHierarchies()) {
    const hierarchy: Hierarchy = { ...found, ...together };
    const limiter: Limiter = {
      kind: hierarchy.kind,
      directories: (name) => Object.values(groupPaths(hierarchy, name)),
      create: (name, limits) => createGroup(hierarchy, name, limits),
    };
    if (await works(hierarchy, limiter)) return limiter;
  }
  return { kind: 'none', directories: () => [], create: () => Promise.resolve(noGroup) };
}

/** Name of a sandbox's control groups, unique among the installations of a host. */
export function groupName(root: string, id: string): string {
  return `${createHash('sha256').update(root).digest('hex').slice(0, 8)}-${id}`;
}

/** Command that enters control groups before it executes `program`. */
export function enterGroups(entryFiles: readonly string[], program: string[]): string[] {
  if (entryFiles.length === 0) return program;
  const script = `set -e; count=$1; shift; while [ $count -gt 0 ]; do echo $$ > "$1"; shift; count=$((count - 1)); done; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', String(entryFiles.length), ...entryFiles, ...program];
}

/** Kills every process of these groups and removes the groups. Ignores missing ones. */
export async function removeGroups(directories: readonly string[]): Promise<void> {
  const deadline = performance.now() + emptyWithinMs;
  const remove = async (directory: string): Promise<void> => {
    while (!(await removeGroup(directory)) && performance.now() < deadline) await delay(2);
  };
  await Promise.all([...new Set(directories)].map(remove));
}

async function removeGroup(directory: string): Promise<boolean> {
  try {
    const pids = await readFile(join(directory, 'cgroup.procs'), 'utf8');
    for (const pid of pids.split('\n').filter((line) => line !== '' && line !== '0')) kill(Number(pid));
    await rmdir(directory);
    return true;
  } catch (error) {
    return hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'EROFS');
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

async function works(hierarchy: Hierarchy, limiter: Limiter): Promise<boolean> {
  const name = `probe-${process.pid}-${randomUUID()}`;
  try {
    await prepare(hierarchy);
    const group = await limiter.create(name, { cpu: 1, memory_mb: 64, disk_mb: 1, pids: 16 });
    const { stdout } = await runSystem(enterGroups(group.entryFiles, ['cat', '/proc/self/cgroup']), 5_000);
    return stdout.includes(name);
  } catch {
    return false;
  } finally {
    await removeGroups(limiter.directories(name));
  }
}

/** Creates the common parent group, and in version 2 enables its controllers. */
async function prepare({ kind, bases, group, memoryMb }: Hierarchy): Promise<void> {
  for (const base of new Set([bases.memory, bases.pids, bases.cpu])) {
    if (kind === 'cgroup2') await delegate(base);
    await mkdir(join(base, group), { recursive: true });
    if (kind === 'cgroup2') await writeFile(join(base, group, 'cgroup.subtree_control'), controllers);
  }
  const memory = join(bases.memory, group);
  // Old kernels count child groups only with this setting, made before there are any.
  if (kind === 'cgroup1') await writeIfPresent(join(memory, 'memory.use_hierarchy'), '1');
  const limit = join(memory, kind === 'cgroup2' ? 'memory.max' : 'memory.limit_in_bytes');
  // Version 1 refuses a limit below the current usage, e.g. by sandboxes of another worker.
  await writeIfPresent(limit, String(memoryMb * 1024 * 1024));
}

/** Enables controllers for child groups. A group with processes, as in a container, cannot: they move into a child group first. */
async function delegate(base: string): Promise<void> {
  const control = join(base, 'cgroup.subtree_control');
  try {
    await writeFile(control, controllers);
  } catch (error) {
    if (!hasErrorCode(error, 'EBUSY')) throw error;
    const aside = join(base, 'guildhall-main');
    await mkdir(aside, { recursive: true });
    const pids = await readFile(join(base, 'cgroup.procs'), 'utf8');
    for (const pid of pids.split('\n').filter((line) => line !== '')) await writeFile(join(aside, 'cgroup.procs'), pid);
    await writeFile(control, controllers);
  }
}

function groupPaths({ bases, group }: Hierarchy, name: string): { memory: string; pids: string; cpu: string } {
  return {
    memory: join(bases.memory, group, name),
    pids: join(bases.pids, group, name),
    cpu: join(bases.cpu, group, name),
  };
}

async function createGroup(hierarchy: Hierarchy, name: string, limits: SandboxLimits): Promise<LimitGroup> {
  const { kind } = hierarchy;
  const { memory, pids, cpu } = groupPaths(hierarchy, name);
  const directories = [...new Set([memory, pids, cpu])];
  // An existing group of this name is a leftover of a crash.
  await removeGroups(directories);
  for (const directory of directories) await mkdir(directory, { recursive: true });
  const memoryBytes = String((limits.memory_mb + supervisorMemoryMb) * 1024 * 1024);
  const quota = String(Math.max(1_000, Math.round(limits.cpu * 100_000)));
  await writeFile(join(pids, 'pids.max'), String(limits.pids + supervisorPids));
  if (kind === 'cgroup2') {
    await writeFile(join(memory, 'memory.max'), memoryBytes);
    await writeIfPresent(join(memory, 'memory.swap.max'), '0');
    await writeFile(join(cpu, 'cpu.max'), `${quota} 100000`);
  } else {
    await writeFile(join(memory, 'memory.limit_in_bytes'), memoryBytes);
    await writeIfPresent(join(memory, 'memory.memsw.limit_in_bytes'), memoryBytes);
    await writeFile(join(cpu, 'cpu.cfs_period_us'), '100000');
    await writeFile(join(cpu, 'cpu.cfs_quota_us'), quota);
  }
  const counter = join(memory, kind === 'cgroup2' ? 'memory.events' : 'memory.oom_control');
  return {
    entryFiles: directories.map((directory) => join(directory, 'cgroup.procs')),
    oomKills: () => readKills(counter),
  };
}

/** Writes a setting if the file exists: swap accounting is a kernel option. */
async function writeIfPresent(path: string, value: string): Promise<void> {
  try {
    await writeFile(path, value, { flag: 'r+' });
  } catch {
    // Without swap accounting the memory limit alone applies.
  }
}

function readKills(path: string): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Lists candidates: version 1 first, which has the controllers if both are mounted; our own group before the root. */
async function listHierarchies(): Promise<Omit<Hierarchy, keyof ParentGroup>[]> {
  const mounts = parseMounts(await readFile('/proc/self/mountinfo', 'utf8'));
  const own = parseOwnGroups(await readFile('/proc/self/cgroup', 'utf8'));
  const found: Omit<Hierarchy, keyof ParentGroup>[] = [];
  const { memory, pids, cpu } = Object.fromEntries(mounts.version1);
  if (memory !== undefined && pids !== undefined && cpu !== undefined) {
    const below = (mount: string, controller: string) => join(mount, own.get(controller) ?? '');
    found.push(
      {
        kind: 'cgroup1',
        bases: { memory: below(memory, 'memory'), pids: below(pids, 'pids'), cpu: below(cpu, 'cpu') },
      },
      { kind: 'cgroup1', bases: { memory, pids, cpu } },
    );
  }
  if (mounts.version2 !== undefined) {
    for (const base of new Set([mounts.version2, join(mounts.version2, own.get('') ?? '')])) {
      found.push({ kind: 'cgroup2', bases: { memory: base, pids: base, cpu: base } });
    }
  }
  return found;
}

function parseMounts(mountinfo: string): { version1: Map<string, string>; version2: string | undefined } {
  const version1 = new Map<string, string>();
  let version2: string | undefined;
  for (const line of mountinfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const path = left.split(' ')[4];
    const [type, , options = ''] = right.split(' ');
    if (path === undefined) continue;
    if (type === 'cgroup2') version2 = path;
    if (type === 'cgroup') for (const controller of options.split(',')) version1.set(controller, path);
  }
  return { version1, version2 };
}

/** Parses our own group's path by controller; version 2 under the empty name. */
function parseOwnGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, names, path] = line.split(':');
    for (const controller of names?.split(',') ?? []) groups.set(controller, path ?? '');
  }
  return groups;
}
