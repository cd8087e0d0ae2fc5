import { rm } from 'node:fs/promises';
import { ProgramFailed, runProgram } from '../../lib/program.ts';
import type { SandboxMounts } from './port.ts';

/** Mounts of a driver that uses the host's paths inside. */
export const samePath: SandboxMounts = { pathInside: (hostPath) => hostPath };

/** Environment of system programs that the worker runs: only PATH and the locale. */
export const systemEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
} as const;

/** Runs a system program. Throws `ProgramFailed`, or the signal's reason when aborted. */
export async function runSystem(
  command: readonly string[],
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<{ stdout: string }> {
  return runProgram(command, { env: systemEnv, timeoutMs, signal });
}

/** Removes a directory of a session, which may have removed its own permissions on parts of it. */
export async function removeTree(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true });
  } catch {
    await runSystem(['chmod', '-R', 'u+rwX', '--', directory], 60_000).catch(() => {});
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns a directory's size on disk in bytes; 0 if it does not exist. */
export async function bytesOnDisk(directory: string): Promise<number> {
  try {
    return bytesOf(await runSystem(['du', '-s', '-k', '-x', '--', directory], 60_000));
  } catch (error) {
    // du fails if files vanish during the count, but prints its result anyway.
    return error instanceof ProgramFailed ? bytesOf(error) : 0;
  }
}

function bytesOf({ stdout }: { stdout: string }): number {
  return (Number.parseInt(stdout, 10) || 0) * 1024;
}

/** Variables of every sandbox command, independent of the operator's environment. */
export function baseEnv(path: string, home: string): Record<string, string> {
  return {
    PATH: path,
    HOME: home,
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
  };
}

/** Runs a script. Without `--norc`, bash reads root's ~/.bashrc if its input is a socket, as a supervisor's is. */
export const bash = ['/bin/bash', '--norc', '-c'] as const;

/**
 * Returns a command that closes every descriptor above `last` before it executes `program`. The worker may have inherited
 * descriptors, and a sandbox must not get them.
 */
export function closeInherited(last: number, program: string[]): string[] {
  return [...bash, `${closeDescriptors(last)}; exec "$@"`, 'bash', ...program];
}

/** The same as a line of bash; dash does not support descriptors above 9. */
export function closeDescriptors(last: number): string {
  return `for fd in /proc/self/fd/*; do fd=\${fd##*/}; if ((fd > ${last})); then eval "exec $fd>&-"; fi; done`;
}
