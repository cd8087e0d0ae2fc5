import { sandboxDriverNames } from '../adapters/sandbox/drivers.ts';
import { machineMemory } from '../lib/machine-memory.ts';
import { integer, list, oneOf, UsageError } from './values.ts';

/** Returns the name of the configured sandbox driver; `auto` is the first one. Throws {@link UsageError}. */
export function sandboxDriver(value: string): string {
  const driver = oneOf('GUILDHALL_SANDBOX', value, ['auto', ...sandboxDriverNames]);
  return driver === 'auto' ? (sandboxDriverNames[0] ?? driver) : driver;
}

/**
 * The maximum limits that an organization may give its sandboxes; without one, only the machine limits it. Sizes in
 * MiB.
 */
export type SandboxMax = Readonly<Partial<Record<(typeof limits)[number], number>>>;

const limits = ['cpu', 'memory_mb', 'disk_mb', 'pids'] as const;
/** The minimum with which a sandbox works. */
const least = { cpu: 0.1, memory_mb: 64, disk_mb: 64, pids: 32 };

/** Reads e.g. `memory_mb=8192,cpu=1.5`. Throws {@link UsageError}. */
export function sandboxMax(value: string): SandboxMax {
  return Object.freeze(
    Object.fromEntries(
      list(value).map((item) => {
        const [, name = '', number = ''] = /^(\w+)=(\d{1,9}(?:\.\d{1,3})?)$/.exec(item) ?? [];
        const limit = limits.find((known) => known === name);
        if (limit === undefined || Number(number) < least[limit] || (limit !== 'cpu' && number.includes('.')))
          throw new UsageError(
            `GUILDHALL_SANDBOX_MAX has ${JSON.stringify(item)}; it must be <limit>=<number> with a limit of ${limits.join(', ')}, and a number of at least ${limits.map((known) => least[known]).join(', ')}.`,
          );
        return [limit, Number(number)];
      }),
    ),
  );
}

/** Of the machine: one for every 4 GiB of memory, because each takes 30 MiB, and at most one for the agent and one for a check. */
function preparedByDefault(): number {
  return Math.min(2, Math.floor(machineMemory().totalMb / 4_096));
}

/** Returns the settings of a worker. */
export function worker(text: (name: string, fallback: string) => string) {
  return {
    workerHost: text('GUILDHALL_WORKER_HOST', '127.0.0.1').trim(),
    slots: integer('GUILDHALL_SLOTS', text('GUILDHALL_SLOTS', '4'), 1, 1_000),
    preparedSandboxes: integer(
      'GUILDHALL_PREPARED_SANDBOXES',
      text('GUILDHALL_PREPARED_SANDBOXES', String(preparedByDefault())),
      0,
      100,
    ),
  };
}
