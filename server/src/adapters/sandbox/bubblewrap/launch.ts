import { open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { spawnProgram, type Program } from '../../../lib/spawn/spawn.ts';
import { systemEnv } from '../system.ts';

/** Additional file descriptors of bwrap. Inside, only the supervisor holds the connection to the worker. */
export const descriptors = { status: 3, arguments: 4, seccomp: 5, line: 6, last: 6 } as const;

/** A started bwrap, which lives as long as its sandbox. */
export interface Bubblewrap {
  process: Program;
  /** Host pid of the sandbox's first process; known when the supervisor responds. */
  first: Promise<number>;
  /** Kills all processes of the sandbox at once. */
  kill(): void;
}

/**
 * Starts bwrap in a session of its own, so that Ctrl-C in the worker's terminal does not reach it. `command` ends in
 * `bwrap --args 4 …`; `options` go through that descriptor. Its environment is not the worker's: `/proc/1/environ` can be
 * read inside.
 */
export async function startBubblewrap(command: string[], options: string[], filter: string): Promise<Bubblewrap> {
  const [program = '', ...rest] = command;
  const seccomp = await open(filter, 'r');
  let child: Program;
  try {
    child = spawnProgram(program, rest, {
      cwd: '/',
      env: systemEnv,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', seccomp.fd, 'pipe'],
    });
  } finally {
    await seccomp.close();
  }
  const input = child.stdio[descriptors.arguments];
  if (isWritable(input)) {
    // If bwrap fails to start, its exit reports the reason.
    input.on('error', () => {});
    input.end(options.map((option) => `${option}\0`).join(''));
  }
  const first = Promise.withResolvers<number>();
  let init = 0;
  const status = child.stdio[descriptors.status];
  if (isReadable(status)) {
    let text = '';
    status.on('error', () => {});
    status.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      init ||= Number(/"child-pid": *(\d+)/.exec(text)?.[1] ?? 0);
      if (init !== 0) first.resolve(init);
    });
  }
  return {
    process: child,
    first: first.promise,
    kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // The kernel kills a process namespace with its first process; bwrap waits for that and ends next.
      if (init === 0 || !tryKill(init)) child.kill('SIGKILL');
    },
  };
}

function tryKill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

function isWritable(stream: Readable | Writable | null | undefined): stream is Writable {
  return stream !== null && stream !== undefined && 'write' in stream;
}

function isReadable(stream: Readable | Writable | null | undefined): stream is Readable {
  return stream !== null && stream !== undefined && 'read' in stream;
}
