import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { SandboxDriver, SandboxIsolation, SandboxLimits } from '../../../adapters/sandbox/port.ts';
import type { Run } from '../../../features/sessions/run/run-service.ts';
import { defaultsOf, settingsReader, type Setting } from '../../../features/settings/service.ts';
import { machineMemory } from '../../../lib/machine-memory.ts';
import type { WorkerContext } from '../../context.ts';

/** The settings of a session's work, as they apply on this worker. */
export interface WorkSettings {
  /** Limited to what this worker can give. */
  readonly sandbox: Setting<'sandbox'>;
  readonly source_control: Setting<'source_control'>;
  readonly knowledge: Setting<'knowledge'>;
  readonly memory: Setting<'memory'>;
  /** Warning about limits that are lower here than the organization's; `''` without any. */
  readonly reducedLimits: string;
}

/** Processes and threads of one sandbox, unless the operator sets a limit. */
const maxPids = 8_192;
const names = ['cpu', 'memory_mb', 'disk_mb', 'pids'] as const;

export async function readWorkSettings(
  ctx: Pick<WorkerContext, 'db' | 'config' | 'sandbox'>,
  { orgId }: Pick<Run, 'orgId'>,
): Promise<WorkSettings> {
  const [settings, most] = await Promise.all([
    settingsReader(ctx.db.kysely, orgId, ['sandbox', 'source_control', 'knowledge', 'memory']),
    workerSandboxLimits(ctx),
  ]);
  const chosen = settings('sandbox');
  const sandbox = { ...chosen, ...lowerLimits(chosen, most) };
  const byDefault = defaultsOf('sandbox');
  const reduced = names.flatMap((name) =>
    sandbox[name] < chosen[name] && chosen[name] !== byDefault[name]
      ? [`${name} is ${sandbox[name]} instead of ${chosen[name]}`]
      : [],
  );
  const why = 'more than the operator allows or this machine has';
  return {
    sandbox,
    source_control: settings('source_control'),
    knowledge: settings('knowledge'),
    memory: settings('memory'),
    reducedLimits:
      reduced.length === 0 ? '' : `The organization's sandbox settings request ${why}: ${reduced.join(', ')}.`,
  };
}

/**
 * Maximum limits of a sandbox on this worker: the operator's, capped at what the machine has for all sandboxes. Of the free
 * disk only half, because databases and blobs may share it.
 */
export async function workerSandboxLimits({
  config,
  sandbox,
}: Pick<WorkerContext, 'config'> & { sandbox: Pick<SandboxDriver, 'probe'> }): Promise<SandboxLimits> {
  const [{ bavail, bsize }, { isolation }] = await Promise.all([statfs(config.data), sandbox.probe()]);
  const machine = {
    cpu: availableParallelism(),
    memory_mb: machineMemory().sandboxesMb,
    disk_mb: Math.max(64, Math.floor((bavail * bsize) / 2 / 2 ** 20)),
    pids: maxPids,
  };
  // Each of the processes here has about as many slots.
  const slots = config.slots * config.processes;
  const byDefault = { ...machine, memory_mb: sandboxMemoryMb(slots, isolation.limits) };
  return lowerLimits(machine, { ...byDefault, ...config.sandboxMax });
}

/** Default memory limit of one sandbox, in MiB, unless the operator sets one; `slots` are those of the machine. */
export function sandboxMemoryMb(slots: number, limits: SandboxIsolation['limits']): number {
  const { sandboxMb, sandboxesMb } = machineMemory();
  // Without a control group around all sandboxes, each gets an equal share.
  const part = limits.startsWith('cgroup') ? sandboxMb : Math.floor(sandboxesMb / slots);
  return Math.max(64, Math.min(sandboxMb, part));
}

/** Returns the lower one of each limit. */
export function lowerLimits(wanted: SandboxLimits, most: SandboxLimits): SandboxLimits {
  return {
    cpu: Math.min(wanted.cpu, most.cpu),
    memory_mb: Math.min(wanted.memory_mb, most.memory_mb),
    disk_mb: Math.min(wanted.disk_mb, most.disk_mb),
    pids: Math.min(wanted.pids, most.pids),
  };
}
