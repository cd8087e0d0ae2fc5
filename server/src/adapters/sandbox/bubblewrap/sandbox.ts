import { realpathSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LayerStore } from '../layer-store.ts';
import { enterGroups, groupName, removeGroups, type LimitGroup } from '../limits.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { SandboxLimits, SandboxOptions } from '../port.ts';
import type { Launched } from '../running.ts';
import type { SandboxDirectories } from '../sandbox-directories.ts';
import { baseEnv, closeInherited } from '../system.ts';
import { bubblewrapArguments, inside, searchPath, type Mount, type View } from './arguments.ts';
import type { Host } from './host.ts';
import { Later } from './later.ts';
import { descriptors, startBubblewrap, type Bubblewrap } from './launch.ts';
import { copyFiles, type LayerSource } from './layer.ts';
import type { Runtime } from './runtime.ts';
import { MountScript, mountCommand } from './mount-script.ts';
import { createStorage, readRecord, mountStorage, writeRecord, type Storage, type StorageRecord } from './storage.ts';
import type { Toolchain } from './toolchain.ts';

/** A driver's resources for its sandboxes. */
export interface Machine {
  root: string;
  host: Host;
  runtime: Runtime;
  directories: SandboxDirectories;
  layers: LayerStore;
  toolchain: Toolchain;
}

const supervisorDirectory = dirname(fileURLToPath(new URL('../supervisor/supervisor.pl', import.meta.url)));
/**
 * Added to the sandbox's memory limit for the per-process limit, which stops a program that allocates faster than the memory
 * watch. High, because V8 alone reserves 512 MB for code.
 */
const dataHeadroomMb = 1024;
const supervisorProcesses = 8;
/**
 * The first process of a sandbox: passes the connection to the worker only to the supervisor, reaps orphans, and ends with
 * the supervisor. No process inside can stop or kill it.
 */
const firstProcess = `"$@" & exec ${descriptors.line}>&-; wait $!`;

export interface LaunchedSandbox extends Launched {
  /** The directory to measure if no image limits the disk. */
  measured: string | undefined;
  /** Host pid of its first process. */
  first: Promise<number>;
  /** To be called before a process is killed for lack of memory. */
  onKill(): void;
  /** Mounts host directories in a prepared sandbox. */
  mountLater(paths: readonly string[]): Promise<void>;
}

export interface LaunchOptions extends SandboxOptions {
  /** For a prepared sandbox: what it gets later, the gateway among it. */
  later?: Later;
}

/**
 * Allocates a claimed sandbox's resources and starts it. The result's `release` frees everything but the files and the claim; on
 * failure this function has freed it.
 */
export async function launchSandbox(
  machine: Machine,
  place: { directory: string; fresh: boolean },
  options: LaunchOptions,
): Promise<LaunchedSandbox> {
  const { host, directories } = machine;
  const { id } = options;
  const owner = await directories.owner();
  let uid: number | undefined;
  let kills = 0;
  const release = async (): Promise<void> => {
    await removeGroups(host.limiter.directories(groupName(machine.root, id)));
    if (uid !== undefined) await host.root?.users.give(owner, uid);
    await options.later?.remove();
  };
  try {
    const record = await readRecord(place.directory);
    uid = await host.root?.users.take(owner, record?.uid);
    const group = await host.limiter.create(groupName(machine.root, id), options.limits);
    const started = await start(machine, place.directory, options, { record, uid, group });
    return {
      ...started,
      id,
      workspace: inside.workspace,
      home: inside.home,
      secrets: inside.secrets,
      programs: inside.supervisor,
      init: {
        env: { ...baseEnv(searchPath(machine.toolchain), inside.home), ...options.env },
        port: inside.gatewayPort,
        gateway: gatewayInside(options),
        roomFor: options.limits.pids,
      },
      oomKills: () => group.oomKills() + kills,
      onKill: () => (kills += 1),
      release,
      directories,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

interface Resources {
  record: StorageRecord | undefined;
  uid: number | undefined;
  group: LimitGroup;
}

function gatewayInside({ gateway, later }: LaunchOptions): { socket: string } | undefined {
  if (later !== undefined) return { socket: Later.socketInside };
  return gateway === undefined ? undefined : { socket: inside.gatewaySocket };
}

async function start(machine: Machine, directory: string, options: LaunchOptions, { record, uid, group }: Resources) {
  const { host, layers } = machine;
  const how = host.overlay ? 'overlay' : 'copy';
  const asked = options.layer === undefined ? undefined : ({ path: layers.pathOf(options.layer), how } as const);
  const finish = (bubblewrap: Bubblewrap, source: LayerSource, storage: Storage) => ({
    process: bubblewrap.process,
    line: descriptors.line,
    kill: () => bubblewrap.kill(),
    mountLater: async (paths: readonly string[]) => {
      if (source.user !== undefined) await options.later?.mount(paths, source.user);
    },
    saveLayer: () => layers.save((target) => copyFiles(source, target)),
    measured: storage.measured,
    first: bubblewrap.first,
  });
  const storageRecord: StorageRecord = {
    disk: record?.disk ?? (host.image ? 'image' : 'directory'),
    // An existing sandbox keeps its layer: changes written above it would not fit another one.
    layer: record === undefined ? asked : record.layer,
    uid,
  };
  await writeRecord(directory, storageRecord);
  if (host.root === undefined || uid === undefined) {
    const storage = await createStorage(directory, storageRecord.layer);
    const source: LayerSource = { workspace: storage.workspace, home: storage.home, user: undefined };
    const program = enterGroups(group.entryFiles, programOf(machine, options.limits, storage));
    const command = closeInherited(descriptors.last, program);
    const view = viewOf(machine, options, storage, { reach: (path) => realpathSync(path), forLater: [] });
    return finish(await startBubblewrap(command, bubblewrapArguments(view), machine.runtime.filter), source, storage);
  }
  // Safe: access to the socket is limited by its directory and by the mounts.
  const socket = socketOf(options);
  if (socket !== undefined) await chmod(socket, 0o666);
  const mounts = MountScript.forNewNamespace(host.root.mountRoot, group.entryFiles);
  const storage = await mountStorage(
    mounts,
    directory,
    { ...storageRecord, uid },
    {
      diskMb: options.limits.disk_mb,
      formerUid: record?.uid,
      signal: options.signal,
    },
  );
  const forLater = options.later?.mountPoints(mounts) ?? [];
  const view = viewOf(machine, options, storage, { reach: (path) => mounts.expose(path), forLater });
  const command = mountCommand(mounts.build(uid, programOf(machine, options.limits, storage)));
  const bubblewrap = await startBubblewrap(command, bubblewrapArguments(view), machine.runtime.filter);
  const user = { uid, pid: bubblewrap.process.pid ?? 0, mountRoot: host.root.mountRoot };
  return finish(bubblewrap, { workspace: storage.workspace, home: storage.home, user }, storage);
}

interface HostPaths {
  /** Returns a path at which bwrap can read a host path. */
  reach(path: string): string;
  forLater: readonly Mount[];
}

function viewOf(machine: Machine, options: LaunchOptions, storage: Storage, { reach, forLater }: HostPaths): View {
  const { runtime } = machine;
  const socket = socketOf(options);
  const gateway = socket === undefined ? undefined : { source: reach(socket), target: inside.gatewaySocket };
  const shared = reach(runtime.directory);
  return {
    etc: join(shared, runtime.etc),
    sharedEtc: runtime.sharedEtc,
    programs: join(shared, runtime.programs),
    node: machine.toolchain.kind === 'pinned' ? reach(process.execPath) : undefined,
    supervisor: reach(supervisorDirectory),
    workspace: storage.workspace,
    home: storage.home,
    toolchain:
      machine.toolchain.kind === 'prefix'
        ? { source: reach(machine.toolchain.prefix), target: machine.toolchain.prefix }
        : undefined,
    gateway: options.later?.gateway(reach) ?? gateway,
    readOnly: [...forLater, ...(options.mounts ?? []).map((path) => ({ source: reach(path), target: path }))],
    memoryMb: options.limits.memory_mb,
    statusFd: descriptors.status,
    seccompFd: descriptors.seccomp,
  };
}

function socketOf({ gateway }: SandboxOptions): string | undefined {
  if (gateway === undefined || 'socket' in gateway) return gateway?.socket;
  throw new ProviderError('a sandbox without a network can reach the gateway only by a socket', { retryable: false });
}

/** bwrap with the supervisor as its program. Without control groups or a disk image it sets per-process limits instead. */
function programOf({ host }: Machine, limits: SandboxLimits, { measured }: Storage): string[] {
  const bubblewrap = ['bwrap', '--args', String(descriptors.arguments), '--'];
  const { programs, supervisor: directory } = inside;
  const supervisor = [
    [`${programs}/bash`, '--norc', '-c', firstProcess, 'bash'],
    [`${programs}/perl`, `${directory}/supervisor.pl`, String(descriptors.line)],
  ].flat();
  const own: string[] = [];
  if (host.limiter.kind === 'none') {
    // Set inside, where the kernel counts only the processes of this user namespace (Linux 5.14).
    own.push(`--nproc=${limits.pids + supervisorProcesses}`);
    own.push(`--data=${(limits.memory_mb + dataHeadroomMb) * 1024 * 1024}`);
  }
  if (measured !== undefined) own.push(`--fsize=${limits.disk_mb * 1024 * 1024}`);
  return own.length === 0 ? [...bubblewrap, ...supervisor] : [...bubblewrap, 'prlimit', ...own, '--', ...supervisor];
}
