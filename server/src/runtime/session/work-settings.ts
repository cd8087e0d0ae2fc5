import { statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import type { SandboxLimits } from '../../adapters/sandbox/port.ts';
import type { Run } from '../../features/sessions/run-service.ts';
import { defaultsOf, settingsReader, type Setting } from '../../features/settings/service.ts';
import type { WorkerContext } from '../context.ts';

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
  ctx: Pick<WorkerContext, 'db' | 'config'>,
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
 * The most that a sandbox of this worker may have: what the operator says, and no more than the machine has. Of the disk
 * half of what is free, because databases and blobs may lie there too.
 */
export async function mostHere({ config }: Pick<WorkerContext, 'config'>): Promise<SandboxLimits> {
  const { bavail, bsize } = await statfs(config.data);
  const machine = {
    cpu: availableParallelism(),
    memory_mb: Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2 ** 20),
    disk_mb: Math.max(64, Math.floor((bavail * bsize) / 2 / 2 ** 20)),
    pids: maxPids,
  };
  return within(machine, { ...machine, ...config.sandboxMax });
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
