import type { Readable } from 'node:stream';
import { messageOf } from './errors.ts';
import { limited, usualLimits, type Limits } from './limits.ts';
import { guardGroup } from './process-group.ts';
import { spawnProgram, type Program } from './spawn/spawn.ts';

export interface ProgramOptions {
  /** The complete environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** A descriptor that the program inherits as 3. */
  readonly inherit?: number;
  readonly timeoutMs: number;
  /** The time in milliseconds to exit after SIGTERM; default 3 s. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits>;
}

interface Failure {
  exitCode: number;
  reason: 'absent' | 'failed' | 'timeout';
  stdout: string;
  stderr: string;
  cause?: unknown;
}

/** A host program failed to start, failed, or timed out. The message contains its name and output. */
export class ProgramFailed extends Error {
  /** -1 when it did not start or was stopped. */
  readonly exitCode: number;
  readonly reason: Failure['reason'];
  /** The output before the failure. */
  readonly stdout: string;
  readonly stderr: string;

  constructor(message: string, { exitCode, reason, stdout, stderr, cause }: Failure) {
    super(message, { cause });
    this.name = 'ProgramFailed';
    this.exitCode = exitCode;
    this.reason = reason;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

const maxOutputBytes = 4 * 1024 * 1024;

/**
 * Runs a host program without standard input and returns its output. Stops its whole process group at the timeout, or when it
 * writes more than 4 MiB. Applies resource limits. Throws {@link ProgramFailed}, or the signal's reason when aborted.
 */
export async function runProgram(
  command: readonly string[],
  options: ProgramOptions,
): Promise<{ stdout: string; stderr: string }> {
  options.signal?.throwIfAborted();
  const [file = '', ...args] = command;
  const { env, cwd, inherit, timeoutMs, graceMs, signal } = options;
  const child = spawnProgram(...limited(file, args, { ...usualLimits, ...options.limits }), {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe', ...(inherit === undefined ? [] : [inherit])],
  });
  const guard = guardGroup(child, {
    timeoutMs,
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(signal === undefined ? {} : { signal }),
  });
  const stdout = gather(child.stdout, guard.stop);
  const stderr = gather(child.stderr, guard.stop);
  const { exitCode, problem, cause } = await endOf(child);
  guard.release();
  signal?.throwIfAborted();
  const said = { stdout: stdout(), stderr: stderr() };
  const stopped = guard.stoppedBy();
  if (stopped === undefined && problem === '') return said;
  const failed = { ...said, exitCode, cause };
  if (stopped === 'timeout')
    throw new ProgramFailed(`${file} did not end within ${timeoutMs / 1_000} s`, { ...failed, reason: 'timeout' });
  if (stopped === 'caller') throw new ProgramFailed(`${file} wrote more than 4 MiB`, { ...failed, reason: 'failed' });
  const why = said.stderr.trim().slice(-2_000);
  // The shell that sets the limits could not execute it.
  if (exitCode === 127 && /: exec: .*: (?:not found|No such file or directory)$/.test(why))
    throw new ProgramFailed(`${file} could not be started: it is not installed`, {
      ...failed,
      exitCode: -1,
      reason: 'absent',
    });
  throw new ProgramFailed(`${file} ${problem}${why === '' ? '' : `: ${why}`}`, {
    ...failed,
    reason: cause === undefined ? 'failed' : 'absent',
  });
}

function endOf(child: Program): Promise<{ exitCode: number; problem: string; cause?: Error }> {
  return new Promise((resolve) => {
    child.once('error', (cause) =>
      resolve({ exitCode: -1, problem: `could not be started: ${messageOf(cause)}`, cause }),
    );
    child.once('close', (code, by) => {
      const problem = code === null ? `was ended by ${by}` : `ended with exit code ${code}`;
      resolve({ exitCode: code ?? -1, problem: code === 0 ? '' : problem });
    });
  });
}

function gather(stream: Readable | null, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxOutputBytes) onTooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
