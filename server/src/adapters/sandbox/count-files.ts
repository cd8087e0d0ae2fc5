import { statSync } from 'node:fs';
import { ProgramFailed } from '../../lib/program.ts';
import { systemArguments } from './bubblewrap/arguments.ts';
import { deletedFileBytes } from './processes.ts';
import { runSystem } from './system.ts';

/** Disk usage of a directory. */
export interface DiskUsage {
  bytes: number;
  inodes: number;
}

export interface MeasuredFiles {
  directory: string;
  /** Host pid of the sandbox's first process; undefined without a process namespace. */
  first: number | undefined;
}

const countWithinMs = 60_000;

/** Measures a sandbox's files, including deleted ones that are open. Throws if that fails. */
export async function measureFiles({ directory, first }: MeasuredFiles): Promise<DiskUsage> {
  const command = first !== undefined && process.getuid?.() !== 0 ? countInNamespace(directory) : count(directory);
  let stdout: string;
  try {
    ({ stdout } = await runSystem(command, countWithinMs));
  } catch (error) {
    // du fails if files vanish during the count, but prints its result anyway.
    if (!(error instanceof ProgramFailed) || error.reason !== 'failed') throw error;
    ({ stdout } = error);
  }
  const [kilobytes, inodes] = stdout.split('\n').map((line) => Number.parseInt(line, 10));
  if (kilobytes === undefined || inodes === undefined || Number.isNaN(kilobytes + inodes))
    throw new Error('du printed no result');
  const nameless = first === undefined ? 0 : await deletedFileBytes(first, statSync(directory).dev);
  return { bytes: kilobytes * 1024 + nameless, inodes };
}

function count(directory: string): string[] {
  return ['sh', '-c', 'du -s -k -x -- "$1"; du -s --inodes -x -- "$1"', 'sh', directory];
}

/** Counts in a user namespace, where an ordinary user can read its own files whatever their mode. */
function countInNamespace(directory: string): string[] {
  return [
    ['bwrap', '--unshare-all', '--unshare-user', '--uid', '0', '--gid', '0', '--cap-drop', 'ALL'],
    ['--cap-add', 'CAP_DAC_READ_SEARCH', '--die-with-parent', '--new-session', '--clearenv', ...systemArguments()],
    ['--ro-bind', directory, '/counted', '/usr/bin/env', ...count('/counted')],
  ].flat();
}
