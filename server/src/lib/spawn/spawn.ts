import { spawn, type StdioOptions } from 'node:child_process';
import { accessSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isMainThread } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import { Children } from './children.ts';
import { loadPosixSpawn } from './posix-spawn.ts';

/** A started program, with the part of Node's ChildProcess that is used here. */
export interface Program {
  readonly pid?: number | undefined;
  /** `null` unless it is a pipe. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** The pipes by descriptor. */
  readonly stdio: readonly (Readable | Writable | null | undefined)[];
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  kill(signal?: NodeJS.Signals): boolean;
  /** `exit` when it has ended; `close` when its pipes, which its children may hold, are closed too. */
  once(event: 'exit' | 'close', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  /** It could not be started. */
  once(event: 'error', listener: (error: Error) => void): unknown;
}

export interface SpawnOptions {
  /** The complete environment. */
  env: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** By descriptor: nothing, a pipe, or an open file that the program inherits. */
  stdio: readonly ('ignore' | 'pipe' | number)[];
}

let children: Children | null | undefined;
let nothing: number | undefined;

/** Returns undefined where the C library has no such functions, and in threads, which get no signals. */
function childrenHere(): Children | undefined {
  if (children === undefined) {
    children = null;
    if (process.platform === 'linux' && isMainThread)
      try {
        children = new Children(loadPosixSpawn());
      } catch (error) {
        process.emitWarning(`Programs start more slowly on this machine: ${messageOf(error)}`);
      }
  }
  return children ?? undefined;
}

/**
 * Starts a program in a session and process group of its own. Like `spawn` of Node with `detached`, but as quick in a large
 * process as in a small one.
 */
export function spawnProgram(name: string, args: readonly string[], { env, cwd, stdio }: SpawnOptions): Program {
  const here = childrenHere();
  const file = name.includes('/') ? name : foundIn(env['PATH'] ?? '', name);
  const isLow = stdio.some((one) => typeof one === 'number' && one < stdio.length);
  if (here === undefined || file === undefined || isLow) {
    const given: StdioOptions = [...stdio];
    return spawn(name, [...args], { env, ...(cwd === undefined ? {} : { cwd }), stdio: given, detached: true });
  }
  const variables = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
  // It would end a string of C.
  if ([file, cwd ?? '', ...args, ...variables].some((text) => text.includes('\0')))
    throw new TypeError('A program, its arguments and its environment cannot have a zero byte.');
  nothing ??= openSync('/dev/null', 'r+');
  const ignored = nothing;
  return here.start({ file, args, env: variables, cwd, stdio: stdio.map((one) => (one === 'ignore' ? ignored : one)) });
}

function foundIn(path: string, name: string): string | undefined {
  for (const directory of path.split(':')) {
    const file = join(directory, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The next directory may have it.
    }
  }
  return undefined;
}
