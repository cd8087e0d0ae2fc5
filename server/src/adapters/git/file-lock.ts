import { createWriteStream } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { once } from 'node:events';
import { execa } from 'execa';
import { ProviderError } from '../../lib/errors.ts';
import { searchPath } from './native.ts';

/**
 * Runs `work` while holding an exclusive lock on `file` against every process of this host. The kernel keeps it
 * (flock), so a process that dies leaves none behind: nothing has to judge whether a lock is stale. A child that inherits
 * the stream it is given keeps the lock until it ends too. The file itself stays. ProviderError (retryable) when the
 * lock is not free within `timeoutMs`.
 */
export async function withFileLock<T>(
  file: string,
  options: { timeoutMs: number; signal?: AbortSignal },
  work: (lock: WriteStream) => Promise<T>,
): Promise<T> {
  options.signal?.throwIfAborted();
  await mkdir(dirname(file), { recursive: true });
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  await once(stream, 'open');
  try {
    await acquire(file, stream, options);
    return await work(stream);
  } finally {
    const closed = once(stream, 'close');
    stream.destroy();
    await closed;
  }
}

/** The flock command locks the open file it inherits; the lock belongs to that open file and outlives the command. */
async function acquire(
  file: string,
  stream: WriteStream,
  options: { timeoutMs: number; signal?: AbortSignal },
): Promise<void> {
  const seconds = String(Math.max(options.timeoutMs, 1) / 1000);
  const result = await execa('flock', ['-x', '-w', seconds, '3'], {
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
