import { rm } from 'node:fs/promises';
import { ProgramFailed, runProgram } from '../../lib/program.ts';
import type { SandboxMounts } from './port.ts';

/** Of a driver that shows what it mounts where it is on the host. */
export const samePath: SandboxMounts = { pathInside: (hostPath) => hostPath };

/** The environment of the few system programs the worker runs: their places, and nothing of its own. */
export const systemEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
} as const;

/** Runs one of them. Throws `ProgramFailed`, or the signal's reason when aborted. */
export async function runSystem(
  command: readonly string[],
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<{ stdout: string }> {
  return runProgram(command, { env: systemEnv, timeoutMs, signal });
}

/** Removes a directory that a session wrote: it may have taken its own rights to parts of it away. */
export async function removeTree(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true });
  } catch {
    await runSystem(['chmod', '-R', 'u+rwX', '--', directory], 60_000).catch(() => {});
    await rm(directory, { recursive: true, force: true });
  }
}

/** Bytes that a directory takes on disk; 0 when it is gone. */
export async function bytesOnDisk(directory: string): Promise<number> {
  try {
    return bytesOf(await runSystem(['du', '-s', '-k', '-x', '--', directory], 60_000));
  } catch (error) {
    // Files come and go while they are counted, which du reports after its answer.
    return error instanceof ProgramFailed ? bytesOf(error) : 0;
  }
}

function bytesOf({ stdout }: { stdout: string }): number {
  return (Number.parseInt(stdout, 10) || 0) * 1024;
}

/** Sandbox commands find these set whatever the operator's environment is. */
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

/**
 * Node's options for a supervisor: it holds no more than the windows of its streams, and opens no debugger when a program of
 * its sandbox, which runs as the same user, sends it the signal for that.
 */
export const supervisorOptions = ['--max-old-space-size=64', '--max-semi-space-size=2', '--disable-sigusr1'] as const;

/** Runs a script. Without `--norc` bash reads root's ~/.bashrc when its input is a socket, as that of a supervisor is. */
export const bash = ['/bin/bash', '--norc', '-c'] as const;

/**
 * A command that closes every descriptor above `last` before it becomes `program`: whatever started the worker may have
 * left it some, and a sandbox must not inherit a way out.
 */
export function closeInherited(last: number, program: string[]): string[] {
  return [...bash, `${closeDescriptors(last)}; exec "$@"`, 'bash', ...program];
}

/** The same as a line of bash; dash cannot name descriptors above 9. */
export function closeDescriptors(last: number): string {
  return `for fd in /proc/self/fd/*; do fd=\${fd##*/}; if ((fd > ${last})); then eval "exec $fd>&-"; fi; done`;
}
