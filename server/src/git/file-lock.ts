import { createWriteStream } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { once } from 'node:events';
import { execa } from 'execa';
import { ProviderError } from '../lib/errors.ts';
import { searchPath } from './native.ts';

interface LockOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  /** Others may share it as well; it keeps out who wants it alone. */
  shared?: boolean;
}

export interface FileLock {
  /** A child that inherits it keeps the lock until it ends too. */
  readonly stream: WriteStream;
  release(): Promise<void>;
}

/**
 * Locks `file` against every process of this host, alone unless told. The kernel keeps it (flock), so a process that dies leaves none
 * behind: nothing has to judge whether a lock is stale. The file itself stays. ProviderError (retryable) when the lock is not
 * free within `timeoutMs`.
 */
export async function lockFile(file: string, options: LockOptions): Promise<FileLock> {
  options.signal?.throwIfAborted();
  await mkdir(dirname(file), { recursive: true });
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  await once(stream, 'open');
  const release = async (): Promise<void> => {
    const closed = once(stream, 'close');
    stream.destroy();
    await closed;
  };
  try {
    await acquire(file, stream, options);
    return { stream, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Runs `work` while holding an exclusive lock on `file`; see {@link lockFile}. */
export async function withFileLock<T>(
  file: string,
  options: { timeoutMs: number; signal?: AbortSignal },
  work: (lock: WriteStream) => Promise<T>,
): Promise<T> {
  const { stream, release } = await lockFile(file, options);
  try {
    return await work(stream);
  } finally {
    await release();
  }
}

/** The flock command locks the open file it inherits; the lock belongs to that open file and outlives the command. */
async function acquire(file: string, stream: WriteStream, options: LockOptions): Promise<void> {
  const seconds = String(Math.max(options.timeoutMs, 1) / 1000);
  const result = await execa('flock', [options.shared === true ? '-s' : '-x', '-w', seconds, '3'], {
    stdio: ['ignore', 'ignore', 'pipe', stream],
    env: { PATH: searchPath, LC_ALL: 'C' },
    extendEnv: false,
    reject: false,
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  });
  options.signal?.throwIfAborted();
  if (result.exitCode === 1) throw new ProviderError(`${file} is locked by another process`, { retryable: true });
  if (result.exitCode !== 0) {
    throw new ProviderError(`flock failed: ${result.stderr || (result.shortMessage ?? '')}`, { retryable: false });
  }
}
