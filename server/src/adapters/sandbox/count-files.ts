import { statSync } from 'node:fs';
import { ProgramFailed } from '../../lib/program.ts';
import { systemArguments } from './bubblewrap/arguments.ts';
import { bytesWithoutName } from './processes.ts';
import { runSystem } from './system.ts';

/** The disk usage of a directory. */
export interface Taken {
  bytes: number;
  inodes: number;
}

export interface Counted {
  directory: string;
  /** The host's number of the sandbox's first process; undefined where it has no processes of its own. */
  first: number | undefined;
}

const countWithinMs = 60_000;

/** Counts the files of a sandbox, also those without a name that it has open. Throws when they cannot be counted. */
export async function countFiles({ directory, first }: Counted): Promise<Taken> {
  const command = first !== undefined && process.getuid?.() !== 0 ? seeingAll(directory) : count(directory);
  let stdout: string;
  try {
    ({ stdout } = await runSystem(command, countWithinMs));
  } catch (error) {
    // Files come and go while they are counted, which du reports after its answer.
    if (!(error instanceof ProgramFailed) || error.reason !== 'failed') throw error;
    ({ stdout } = error);
  }
  const [kilobytes, inodes] = stdout.split('\n').map((line) => Number.parseInt(line, 10));
  if (kilobytes === undefined || inodes === undefined || Number.isNaN(kilobytes + inodes))
    throw new Error('du gave no answer');
  const nameless = first === undefined ? 0 : await bytesWithoutName(first, statSync(directory).dev);
  return { bytes: kilobytes * 1024 + nameless, inodes };
}

function count(directory: string): string[] {
  return ['sh', '-c', 'du -s -k -x -- "$1"; du -s --inodes -x -- "$1"', 'sh', directory];
}

/** The same for an ordinary user, in a namespace where no directory is closed to the owner of its files. */
function seeingAll(directory: string): string[] {
  return [
    ['bwrap', '--unshare-all', '--unshare-user', '--uid', '0', '--gid', '0', '--cap-drop', 'ALL'],
    ['--cap-add', 'CAP_DAC_READ_SEARCH', '--die-with-parent', '--new-session', '--clearenv', ...systemArguments()],
    ['--ro-bind', directory, '/counted', '/usr/bin/env', ...count('/counted')],
  ].flat();
}
