import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../../lib/directories.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { groupName, removeGroups } from '../limits.ts';
import { createLayerStore } from '../layer-store.ts';
import { describeIsolation } from '../isolation.ts';
import type { Owner } from '../ownership.ts';
import type { SandboxDriver, SandboxIsolation } from '../port.ts';
import { createSandboxDirectories } from '../sandbox-directories.ts';
import { supervisorTimings, type SupervisorTimings } from '../supervisor/connection.ts';
import { samePath } from '../system.ts';
import { places } from './arguments.ts';
import { inspectHost, type Host } from './host.ts';
import { prepareRuntime } from './runtime.ts';
import type { Machine } from './sandbox.ts';
import { createStart } from './start.ts';
import { prepareSandbox } from './prepared.ts';
import { findToolchain } from './toolchain.ts';
import type { UserPool } from './users.ts';

export interface BubblewrapOptions {
  /** The driver's directory, on a local file system; the workers of a host may share it. */
  root: string;
  log: Log;
  /** The operator's PATH, to find a Node outside of `/usr`. */
  path?: string;
  timings?: Readonly<SupervisorTimings>;
  /** Finds the features of this machine; by default by trying each, which starts a dozen programs. */
  inspect?: (root: string) => Promise<Host>;
}

/** Creates a driver for bubblewrap sandboxes: namespaces, a seccomp filter, and as root a user, control groups and a disk image each. */
export function createBubblewrapDriver({
  root,
  log,
  path = '',
  timings = supervisorTimings,
  inspect = inspectHost,
}: BubblewrapOptions): SandboxDriver {
  const directories = createSandboxDirectories(root, log);
  const layers = createLayerStore(root, log);
  let inspecting: Promise<Machine> | undefined;
  const machineOf = (): Promise<Machine> => {
    inspecting ??= prepareMachine({ root, directories, layers, toolchain: findToolchain(path) }, inspect);
    return inspecting;
  };

  async function ready(): Promise<Machine> {
    const machine = await machineOf();
    if (machine.host.problem !== '') throw new ProviderError(machine.host.problem, { retryable: false });
    return machine;
  }

  const start = createStart({ ready, directories, timings });

  return {
    name: 'bubblewrap',
    gateway: { by: 'socket' },
    mounts: samePath,
    places,
    layers,
    async probe() {
      const { host } = await machineOf();
      return { problem: host.problem, isolation: isolationOf(host) };
    },
    create: async (options) => (await start(options)).sandbox,
    prepare: async (options) => prepareSandbox(start, (await ready()).host, options),
    discard: (id) => directories.remove(id),
    async sweep() {
      const { host } = await machineOf();
      await layers.sweep();
      if (host.root !== undefined) await releaseUsers(host.root.users, await directories.owner());
      return directories.sweep((id) => removeGroups(host.limiter.directories(groupName(root, id))));
    },
  };
}

async function prepareMachine(
  own: Omit<Machine, 'host' | 'runtime'>,
  inspect: (root: string) => Promise<Host>,
): Promise<Machine> {
  const { root } = own;
  makeDirectory(root, 0o700);
  await chmod(root, 0o700);
  const host = await inspect(root);
  const runtime = await prepareRuntime(join(root, 'runtime'), { countsMemory: host.limiter.kind !== 'none' });
  return { ...own, host, runtime };
}

/** Releases host users of dead workers' sandboxes. */
async function releaseUsers(users: UserPool, owner: Owner): Promise<void> {
  for (const { name } of await owner.adopt(users.directory)) await users.give(owner, Number(name));
}

function isolationOf(host: Host): SandboxIsolation {
  return describeIsolation({
    kind: 'namespaces',
    own_user: host.root !== undefined,
    limits: host.limiter.kind === 'none' ? 'rlimit' : host.limiter.kind,
    disk: host.image ? 'image' : 'poll',
  });
}
