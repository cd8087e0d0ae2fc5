import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { BlobStore } from './adapters/blobs/port.ts';
import { shownBytes } from './lib/bytes.ts';
import { messageOf } from './lib/errors.ts';
import type { Log } from './lib/log.ts';

/** Whether something outside works, as it was found out lately. */
export interface Watch {
  /** Why not; `''` while it does. */
  readonly problem: string;
  close(): Promise<void>;
}

const everyMs = 10_000;
/** What takes longer does not work. */
const limitMs = 10_000;
/** So much that a full disk has no room for it, and nobody minds. */
const probe = Buffer.alloc(64 * 1024, 'guildhall');

/** Writes one small blob at once and every 10 s, over and over the same. */
export async function watchStorage(blobs: BlobStore, log: Log): Promise<Watch> {
  return watch(log, 'blobs cannot be written; workers take no more sessions until they can', async (signal) => {
    await blobs.put('health/probe', probe, { signal });
  });
}

/** Looks at once and every 10 s whether these directories have more free space than is to stay free, in bytes. */
export async function watchDisk(directories: readonly string[], reserveBytes: number, log: Log): Promise<Watch> {
  return watch(log, 'too little disk is free; nothing large is taken and no session begins', async () => {
    for (const directory of directories) {
      const { bavail, bsize } = await statfs(directory);
      if (bavail * bsize < reserveBytes)
        throw new Error(
          `${shownBytes(bavail * bsize)} are free for ${directory}, less than the ${shownBytes(reserveBytes)} of GUILDHALL_DISK_RESERVE.`,
        );
    }
  });
}

/** Asks the API at `url`, and with it the built-in git host, at once and every 10 s whether it is there, and this installation's. */
export async function watchApi(url: string, installation: string, log: Log): Promise<Watch> {
  return watch(log, 'this worker takes no sessions until it reaches the API', async (signal) => {
    const answer: unknown = await fetch(`${url}/healthz`, { signal, redirect: 'error' })
      .then((response) => response.json())
      .catch((error: unknown) => {
        const { cause } = error instanceof Error ? error : {};
        throw new Error(`GUILDHALL_URL: no API answers at ${url}/healthz: ${messageOf(cause ?? error)}.`);
      });
    const found = typeof answer === 'object' && answer !== null && 'installation' in answer ? answer.installation : '';
    if (found !== installation)
      throw new Error(`GUILDHALL_URL: what answers at ${url}/healthz is not the API of this installation.`);
  });
}

/** Does it at once and every 10 s; the log tells when it fails and when it no longer does. */
async function watch(log: Log, broken: string, check: (signal: AbortSignal) => Promise<void>): Promise<Watch> {
  let problem = '';
  const closing = new AbortController();
  const look = async (): Promise<void> => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(limitMs)]);
    const found = await check(signal).then(() => '', messageOf);
    if (closing.signal.aborted) return;
    if (found !== problem && found !== '') log.error({ reason: found }, broken);
    if (found === '' && problem !== '') log.info({ reason: problem }, 'what was wrong is over');
    problem = found;
  };
  const again = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await delay(everyMs, undefined, { signal: closing.signal }).catch(() => undefined);
      if (!closing.signal.aborted) await look();
    }
  };
  await look();
  const ended = again();
  return {
    get problem() {
      return problem;
    },
    async close() {
      closing.abort();
      await ended;
    },
  };
}
