import { close, open } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeDirectory } from './directories.ts';
import { ProviderError } from './errors.ts';
import { tryFlock } from './flock.ts';
import { ProgramFailed, runProgram } from './program.ts';

export interface LockOptions {
  /** Default 0: does not wait. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Takes a shared lock, which excludes only exclusive ones. */
  shared?: boolean;
  /** Locks only a file that exists; a missing one fails with ENOENT. */
  existing?: boolean;
}

/** A held lock. `release` may be called more than once. */
export interface FileLock {
  /** The locked file's descriptor. A child that inherits it keeps the lock until it ends too. */
  readonly descriptor: number;
  release(): Promise<void>;
}

/** Another process holds the lock. */
class FileLocked extends ProviderError {}

/**
 * Locks a file against every other process of this host, exclusively by default; creates the file and its directory. The
 * kernel holds the lock (flock) for the open file and frees it however the process ends, so no lock is ever stale. The file
 * is kept: after a removal, two processes could lock two files of the same name. Throws {@link FileLocked} (retryable) if
 * the lock is not free within `timeoutMs`, and ProviderError if flock does not start.
 */
export async function lockFile(file: string, options: LockOptions = {}): Promise<FileLock> {
  options.signal?.throwIfAborted();
  const { existing = false } = options;
  // Others may traverse the directory (a sandbox's user needs to), but not list it.
  if (!existing) makeDirectory(dirname(file), 0o711);
  // Not a FileHandle, which is closed when nobody refers to it.
  const descriptor = await promisify(open)(file, existing ? 'r' : 'a', 0o600);
  let closing: Promise<void> | undefined;
  const release = (): Promise<void> => (closing ??= promisify(close)(descriptor));
  try {
    await acquire(file, descriptor, options);
    return { descriptor, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Runs `work` while holding a lock on `file`; see {@link lockFile}. */
export async function withFileLock<T>(
  file: string,
  options: LockOptions,
  work: (lock: number) => Promise<T>,
): Promise<T> {
  const { descriptor, release } = await lockFile(file, options);
  try {
    return await work(descriptor);
  } finally {
    await release();
  }
}

/** Runs `work` like {@link withFileLock}, or not at all if another process keeps the lock. */
export async function unlessLocked(
  file: string,
  options: LockOptions,
  work: (lock: number) => Promise<void>,
): Promise<void> {
  const lock = await lockFile(file, options).catch((error: unknown) => {
    if (error instanceof FileLocked) return undefined;
    throw error;
  });
  if (lock === undefined) return;
  try {
    await work(lock.descriptor);
  } finally {
    await lock.release();
  }
}

/**
 * Locks a file for as long as this process lives, and writes the process id into it. Throws an error with the message of
 * `refusal` if another process holds it; `holder` is `''` or ` (process 123)`.
 */
export async function lockForProcess(
  file: string,
  refusal: (holder: string) => string,
  options: LockOptions = {},
): Promise<FileLock> {
  try {
    const lock = await lockFile(file, options);
    await writeFile(file, `${process.pid}\n`);
    return lock;
  } catch (error) {
    if (!(error instanceof FileLocked)) throw error;
    const holder = (await readFile(file, 'utf8')).trim();
    throw new Error(refusal(/^\d+$/.test(holder) ? ` (process ${holder})` : ''), { cause: error });
  }
}

/** Locks a data directory for this process; creates it if missing. Throws a message for the operator if it is in use. */
export async function lockDataDirectory(dir: string, options: LockOptions = {}): Promise<FileLock> {
  return lockForProcess(
    join(dir, 'lock'),
    (holder) =>
      `The data directory ${dir} is in use by another Guildhall${holder}. ` +
      'Stop that process first, or choose another directory.',
    options,
  );
}

async function acquire(file: string, descriptor: number, options: LockOptions): Promise<void> {
  const { timeoutMs = 0, shared = false } = options;
  const isLocked = tryFlock(descriptor, { shared });
  if (isLocked === true) return;
  if (isLocked === false && timeoutMs === 0) throw lockedByAnother(file);
  await acquireByProgram(file, descriptor, options);
}

function lockedByAnother(file: string): FileLocked {
  return new FileLocked(`${file} is locked by another process`, { retryable: true });
}

/** `flock` locks the open file that it inherits; the lock belongs to that open file and outlives the command. */
async function acquireByProgram(file: string, descriptor: number, options: LockOptions): Promise<void> {
  const { timeoutMs = 0, signal, shared = false } = options;
  const waits = timeoutMs === 0 ? ['-n'] : ['-w', String(timeoutMs / 1_000)];
  try {
    await runProgram(['flock', shared ? '-s' : '-x', ...waits, '3'], {
      env: { PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      timeoutMs: timeoutMs + 60_000,
      inherit: descriptor,
      signal,
    });
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    if (error.exitCode === 1) throw lockedByAnother(file);
    const isMissing = error.reason === 'absent';
    const reason = isMissing ? 'the program flock is missing. Install the Debian package util-linux.' : error.message;
    throw new ProviderError(`Cannot lock ${file}: ${reason}`, { retryable: false });
  }
}
