import type { Sandbox, SandboxLimits } from '../port.ts';
import { superviseSandbox, type Running } from '../running.ts';
import type { SandboxDirectories } from '../sandbox-directories.ts';
import type { SupervisorTimings } from '../supervisor/connection.ts';
import { createDiskWatch } from '../watch-disk.ts';
import { watchMemory } from '../watch-memory.ts';
import { inside } from './arguments.ts';
import type { Host } from './host.ts';
import { launchSandbox, type LaunchedSandbox, type LaunchOptions, type Machine } from './sandbox.ts';

/** Starts a sandbox; on failure nothing of a new one stays. */
export type Start = (options: LaunchOptions) => Promise<{ sandbox: Sandbox; launched: LaunchedSandbox }>;

interface StartOptions {
  /** Throws if this machine cannot run sandboxes. */
  ready: () => Promise<Machine>;
  directories: SandboxDirectories;
  timings: Readonly<SupervisorTimings>;
}

export function createStart({ ready, directories, timings }: StartOptions): Start {
  const disks = createDiskWatch();

  /** Enforces limits that the kernel does not enforce here. */
  async function watch(host: Host, launched: LaunchedSandbox, running: Running, limits: SandboxLimits): Promise<void> {
    const { measured, onKill } = launched;
    const first = await launched.first;
    if (measured !== undefined) disks.add(running, { directory: measured, first }, limits.disk_mb);
    if (host.limiter.kind !== 'none') return;
    watchMemory(running, { first, limitMb: limits.memory_mb, inMemory: inside.memory, onKill });
  }

  async function begin(machine: Machine, options: LaunchOptions) {
    const place = await directories.open(options.id);
    try {
      const launched = await launchSandbox(machine, place, options);
      return { launched, running: await superviseSandbox(launched, { ...options, timings }), isNew: place.fresh };
    } catch (error) {
      await (place.fresh ? directories.removeClaimed(options.id) : directories.close(options.id));
      throw error;
    }
  }

  return async (options) => {
    const machine = await ready();
    options.signal?.throwIfAborted();
    const { launched, running, isNew } = await begin(machine, options);
    try {
      await watch(machine.host, launched, running, options.limits);
    } catch (error) {
      await (isNew ? running.sandbox.destroy() : running.sandbox.stop());
      throw error;
    }
    return { sandbox: running.sandbox, launched };
  };
}
