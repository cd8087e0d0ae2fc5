import { constants } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { messageOf, ProviderError } from '../lib/errors.ts';
import { limited, usualLimits, type Limits } from '../lib/limits.ts';
import { guardGroup } from '../lib/process-group.ts';
import { spawnProgram } from '../lib/spawn/spawn.ts';
import { refuseInTransaction } from '../lib/transaction-scope.ts';

/** Git configuration, passed in the environment, because any user can list a process's arguments. */
export type GitConfig = readonly (readonly [name: string, value: string])[];

export interface GitOptions {
  /** The repository. Must not be writable by a sandbox: its configuration can contain commands, which git would run on the host. */
  gitDir?: string;
  cwd?: string;
  input?: string | Uint8Array | Readable;
  env?: Readonly<Record<string, string>>;
  config?: GitConfig;
  /** Default 60,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Overrides of the default limits. */
  limits?: Partial<Limits>;
  /** Limit for standard output, beyond which the command is stopped; default 64 MiB. */
  maxBuffer?: number;
  /** Exit codes that are not failures; default `[0]`. */
  okExitCodes?: readonly number[];
  /** Strings to redact in error messages. */
  secrets?: readonly string[];
  /** A descriptor that git inherits as 3, so that a lock on it lasts until git ends. Excludes `input`. */
  inherit?: number;
}

export interface GitOutput {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Failure of git. The message is the redacted end of its standard error. */
export class GitError extends ProviderError {
  /** -1 if git was killed or could not start. */
  readonly exitCode: number;
  readonly stderr: string;

  constructor(message: string, options: { retryable: boolean; exitCode: number; stderr: string }) {
    super(message, { retryable: options.retryable });
    this.name = 'GitError';
    this.exitCode = options.exitCode;
    this.stderr = options.stderr;
  }
}

/** Search path for programs: the only variable that git inherits. */
export const searchPath = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
const configFile = fileURLToPath(new URL('./host.gitconfig', import.meta.url));
const defaultTimeoutMs = 60_000;
const defaultMaxBuffer = 64 * 1024 * 1024;

/** Runs git and returns its decoded output. Throws {@link GitError}, or the signal's reason when aborted. */
export async function git(args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
  const { exitCode, stdout, stderr } = await gitBytes(args, options);
  return { exitCode, stdout: Buffer.from(stdout).toString('utf8'), stderr };
}

/** Like {@link git}, but returns standard output as bytes, because object contents and paths may not be UTF-8. */
export async function gitBytes(
  args: readonly string[],
  options: GitOptions = {},
): Promise<{ exitCode: number; stdout: Uint8Array; stderr: string }> {
  options.signal?.throwIfAborted();
  const { timeoutMs = defaultTimeoutMs, maxBuffer = defaultMaxBuffer, input, signal, secrets = [] } = options;
  const child = start(args, options);
  const guard = guardGroup(child, { timeoutMs, signal });
  let isTooMuch = false;
  const onTooMuch = (): void => {
    isTooMuch = true;
    guard.stop();
  };
  const stdout = gather(child.stdout, maxBuffer, onTooMuch);
  const stderrBytes = gather(child.stderr, maxBuffer, onTooMuch);
  const [problem, ended] = await Promise.all([feed(child, input, guard.stop), child.ended]);
  guard.release();
  signal?.throwIfAborted();
  const stderr = redact(endOf(Buffer.concat(stderrBytes)), secrets);
  const exitCode = ended.exitCode ?? -1;
  const name = args[0] ?? '';
  if (guard.stoppedBy() === 'timeout')
    throw failure(`git ${name} timed out after ${timeoutMs} ms`, true, exitCode, stderr);
  if (isTooMuch) throw failure(`git ${name} printed too much output`, false, exitCode, stderr);
  // The signal of a nested git is reported by an exit code, as in shells.
  if (ended.problem === 'SIGXCPU' || exitCode === 128 + constants.signals.SIGXCPU)
    throw failure(`git ${name} used too much CPU time`, false, exitCode, stderr);
  if (saysTooLarge(stderr))
    throw failure(
      `git ${name} tried to write a file larger than ${megabytes(options.limits?.fileBytes)}`,
      false,
      exitCode,
      stderr,
    );
  if (/^fatal: out of memory/im.test(stderr))
    throw failure(`git ${name} exceeded its memory limit`, false, exitCode, stderr);
  if (exitCode < 0 || problem !== '') {
    const why = lastLines(stderr) || problem || ended.problem;
    throw failure(`git ${name} was stopped: ${why}`, true, exitCode, stderr);
  }
  if (!(options.okExitCodes ?? [0]).includes(exitCode)) throw gitFailure(name, exitCode, stderr);
  return { exitCode, stdout: Buffer.concat(stdout), stderr };
}

/** Returns true if git reports that a file exceeds its size limit. */
export function saysTooLarge(stderr: string): boolean {
  return /file too large/i.test(stderr);
}

function megabytes(bytes = 0): string {
  return `${Math.floor(bytes / 1024 ** 2).toLocaleString('en')} MiB`;
}

/** A git process with pipes on its three streams. */
export interface GitProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it has ended and its streams are read; never rejects. `exitCode` is undefined if it was killed or did not start. */
  readonly ended: Promise<{ exitCode: number | undefined; problem: string }>;
}

/**
 * Starts git. The caller must read standard output and error, and await its end. An abort or timeout kills it with its child
 * processes.
 */
export function spawnGit(
  args: readonly string[],
  options: Omit<GitOptions, 'input' | 'maxBuffer' | 'okExitCodes'>,
): GitProcess {
  const child = start(args, options);
  const guard = guardGroup(child, options);
  void child.ended.then(guard.release);
  return child;
}

function start(args: readonly string[], options: GitOptions): GitProcess {
  refuseInTransaction(`git ${args[0] ?? ''} was started`);
  const { promise: ended, resolve } = Promise.withResolvers<{ exitCode: number | undefined; problem: string }>();
  try {
    const [file, given] = limited('git', gitArguments(args, options), { ...usualLimits, ...options.limits });
    const child = spawnProgram(file, given, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ['pipe', 'pipe', 'pipe', ...(options.inherit === undefined ? [] : [options.inherit])],
      env: gitEnvironment(options),
    });
    child.once('error', (error) => resolve({ exitCode: undefined, problem: error.message }));
    child.once('close', (code, signal) => resolve({ exitCode: code ?? undefined, problem: signal ?? '' }));
    const { pid, stdin, stdout, stderr } = child;
    // Missing when the process is out of file descriptors.
    if (!stdin || !stdout || !stderr) throw new Error('too many files are open');
    // If git ends before it has read its input, its exit code has the reason.
    stdin.on('error', () => undefined);
    return { pid, stdin, stdout, stderr, ended };
  } catch (error) {
    throw failure(`git failed to start: ${messageOf(error)}`, true, -1, '');
  }
}

/** Sends the input. Returns its error, '' for none. */
async function feed({ stdin, ended }: GitProcess, input: GitOptions['input'], stop: () => void): Promise<string> {
  if (!(input instanceof Readable)) {
    stdin.end(input ?? '');
    return '';
  }
  let isOver = false;
  const leave = async (): Promise<void> => {
    await ended;
    isOver = true;
    input.destroy();
  };
  void leave();
  try {
    for await (const chunk of input) {
      if (!stdin.writable) break;
      if (!stdin.write(chunk)) await drained(stdin);
    }
    return '';
  } catch (error) {
    if (isOver) return '';
    stop();
    return messageOf(error);
  } finally {
    stdin.end();
  }
}

/** Resolves when the stream accepts more data, or is destroyed. */
export async function drained(stream: Writable): Promise<void> {
  if (stream.destroyed || !stream.writableNeedDrain) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'error']) stream.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.on(event, done);
  });
}

/** Collects a stream's chunks, up to `maxBytes`. */
function gather(stream: Readable, maxBytes: number, onTooMuch: () => void): Buffer[] {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) onTooMuch();
    else chunks.push(chunk);
  });
  return chunks;
}

/** Creates the error for a git command that ended with `exitCode`. */
export function gitFailure(name: string, exitCode: number, stderr: string): GitError {
  return failure(
    `git ${name} failed: ${lastLines(stderr) || `exit code ${exitCode}`}`,
    isTransient(stderr),
    exitCode,
    stderr,
  );
}

function failure(message: string, retryable: boolean, exitCode: number, stderr: string): GitError {
  return new GitError(message, { retryable, exitCode, stderr });
}

function gitArguments(args: readonly string[], options: Pick<GitOptions, 'gitDir'>): string[] {
  return options.gitDir === undefined ? [...args] : [`--git-dir=${options.gitDir}`, ...args];
}

/** Inherits only PATH: a proxy, a credential helper or GIT_DIR of the operator's shell must not leak in. */
function gitEnvironment(options: Pick<GitOptions, 'env' | 'config'>): Record<string, string> {
  const config = options.config ?? [];
  const environment: Record<string, string> = {
    PATH: searchPath,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: configFile,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_CONFIG_COUNT: String(config.length),
    ...options.env,
  };
  for (const [index, [name, value]] of config.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = name;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return environment;
}

const transient =
  /could not resolve host|failed to connect|couldn't connect|connection (?:refused|reset|timed out|was reset)|timed? ?out|early eof|hung up unexpectedly|rpc failed|unexpected disconnect|returned error: (?:408|425|429|5\d\d)|\.lock': file exists|cannot lock ref|no space left|resource temporarily unavailable|too slow|empty reply/i;
const permanent =
  /authentication failed|could not read (?:username|password)|returned error: 4(?!08|25|29)\d\d|not found/i;

function isTransient(stderr: string): boolean {
  return transient.test(stderr) && !permanent.test(stderr);
}

/** Limit for standard error, which a git server controls. */
const keptStderrBytes = 16 * 1024;

function endOf(stderr: Buffer): string {
  return stderr.subarray(-keptStderrBytes).toString('utf8');
}

function redact(text: string, secrets: readonly string[]): string {
  let clean = text.replaceAll(/\b([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/@]{1,1024}@/gi, '$1');
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[redacted]');
  return clean;
}

/**
 * Returns the relevant part of git's standard error: its last lines, without progress, and the host's message if there is one.
 */
function lastLines(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  const isTold = lines.some((line) => line.startsWith('remote: '));
  // Omits the line with the worker's own URL and the status, which the host's message explains.
  const telling = isTold ? lines.filter((line) => !line.startsWith('fatal: unable to access ')) : lines;
  return telling
    .slice(-4)
    .map((line) => line.replace(/^remote:\s+/, ''))
    .join('; ')
    .slice(0, 1_000);
}
