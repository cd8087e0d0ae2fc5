import type { BlobStore } from './adapters/blobs/port.ts';
import { messageOf } from './lib/errors.ts';
import type { Log } from './lib/log.ts';

/** Whether blobs can be written, as it was found out lately. */
export interface StorageHealth {
  /** Why not; `''` while they can. */
  readonly problem: string;
  close(): Promise<void>;
}

const everyMs = 10_000;
/** A write that takes longer does not count as one. */
const limitMs = 10_000;
const key = 'health/probe';
/** So much that a full disk has no room for it, and nobody minds. */
const probe = Buffer.alloc(64 * 1024, 'guildhall');

/** Writes one small blob at once and every 10 s, over and over the same; the log tells when that fails and when no more. */
export async function watchStorage(blobs: BlobStore, log: Log): Promise<StorageHealth> {
  let problem = '';
  const closing = new AbortController();
  const look = async (): Promise<void> => {
    const found = await blobs
      .put(key, probe, { signal: AbortSignal.any([closing.signal, AbortSignal.timeout(limitMs)]) })
      .then(() => '', messageOf);
    if (closing.signal.aborted) return;
    if (found !== '' && problem === '')
      log.error({ reason: found }, 'blobs cannot be written; workers take no more sessions until they can');
    if (found === '' && problem !== '') log.info('blobs can be written again');
    problem = found;
  };
  let looking = look();
  await looking;
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, everyMs);
  return {
    get problem() {
      return problem;
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await looking;
    },
  };
}
