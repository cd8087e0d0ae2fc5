import { availableParallelism } from 'node:os';
import { machineMemory } from '../lib/machine-memory.ts';
import { UsageError } from './values.ts';

const most = 64;
/** A process takes 150 to 400 MiB, and an eighth of the memory is kept from sandboxes for all of them and the database. */
const memoryMbOfEach = 3_072;

/**
 * Returns the number of processes. A worker without a slot would be of no use, so a worker has at most one process for
 * each. Throws {@link UsageError}.
 */
export function processCount(value: string, role: string, slots: number): number {
  const count = value === 'auto' ? countFor(availableParallelism(), machineMemory().totalMb) : chosen(value);
  return role === 'worker' ? Math.min(count, slots) : count;
}

function chosen(value: string): number {
  const count = /^\d{1,2}$/.test(value) ? Number(value) : 0;
  if (count >= 1 && count <= most) return count;
  throw new UsageError(
    `--processes / GUILDHALL_PROCESSES is ${JSON.stringify(value)}; it must be auto or a whole number from 1 to ${most}.`,
  );
}

/** One for two cores, because the database, git and sandboxes use as much as the processes. One or two cores have one process. */
export function countFor(cores: number, memoryMb: number): number {
  return Math.max(1, Math.min(8, Math.floor(cores / 2), Math.floor(memoryMb / memoryMbOfEach)));
}
