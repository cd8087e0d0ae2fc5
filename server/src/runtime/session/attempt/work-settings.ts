import { statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { SandboxDriver, SandboxIsolation, SandboxLimits } from '../../../adapters/sandbox/port.ts';
import type { Run } from '../../../features/sessions/run/run-service.ts';
import { defaultsOf, settingsReader, type Setting } from '../../../features/settings/service.ts';
import { machineMemory } from '../../../lib/machine-memory.ts';
import type { WorkerContext } from '../../context.ts';

/** What settings say of a session's work, as it is in force here. */
export interface WorkSettings {
  /** With no more than this worker may give. */
  readonly sandbox: Setting<'sandbox'>;
  readonly source_control: Setting<'source_control'>;
  /** What the organization chose and does not get here, in words; `''` when it gets all of it. */
  readonly cut: string;
}

/** Processes and threads of one sandbox, where the operator says nothing. */
const maxPids = 8_192;
const names = ['cpu', 'memory_mb', 'disk_mb', 'pids'] as const;

export async function readWorkSettings(
  ctx: Pick<WorkerContext, 'db' | 'config' | 'sandbox'>,
  { orgId }: Pick<Run, 'orgId'>,
): Promise<WorkSettings> {
  const [settings, most] = await Promise.all([
    settingsReader(ctx.db.kysely, orgId, ['sandbox', 'source_control']),
    mostHere(ctx),
  ]);
  const chosen = settings('sandbox');
  const sandbox = { ...chosen, ...within(chosen, most) };
  const byDefault = defaultsOf('sandbox');
  const cut = names.flatMap((name) =>
    sandbox[name] < chosen[name] && chosen[name] !== byDefault[name]
      ? [`${name} is ${sandbox[name]} instead of ${chosen[name]}`]
      : [],
  );
  const why = 'more than the operator allows, or than this machine has to give';
  return {
    sandbox,
    source_control: settings('source_control'),
    cut: cut.length === 0 ? '' : `The organization's sandbox settings ask for ${why}: ${cut.join(', ')}.`,
  };
}

/**
 * The most that a sandbox of this worker may have: what the operator says, and no more than the machine has for all of
 * them. Of the disk half of what is free, because databases and blobs may lie there too.
 */
export async function mostHere({
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
  const byDefault = { ...machine, memory_mb: sandboxMemoryMb(config.slots, isolation.limits) };
  return within(machine, { ...byDefault, ...config.sandboxMax });
}

/** What one of a worker's sandboxes may take of the memory where the operator does not say, in MiB. */
export function sandboxMemoryMb(slots: number, limits: SandboxIsolation['limits']): number {
  const { sandboxMb, sandboxesMb } = machineMemory();
  // Where no control group holds all of them together, each has its part.
  const part = limits.startsWith('cgroup') ? sandboxMb : Math.floor(sandboxesMb / slots);
  return Math.max(64, Math.min(sandboxMb, part));
}

/** The lower of each. */
export function within(wanted: SandboxLimits, most: SandboxLimits): SandboxLimits {
  return {
    cpu: Math.min(wanted.cpu, most.cpu),
    memory_mb: Math.min(wanted.memory_mb, most.memory_mb),
    disk_mb: Math.min(wanted.disk_mb, most.disk_mb),
    pids: Math.min(wanted.pids, most.pids),
  };
}
