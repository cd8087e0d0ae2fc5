import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { BlobStore } from './adapters/blobs/port.ts';
import { shownBytes } from './lib/bytes.ts';
import { messageOf } from './lib/errors.ts';
import type { Log } from './lib/log.ts';

/** The last known state of an external dependency. */
export interface Watch {
  /** The problem; `''` if it works. */
  readonly problem: string;
  close(): Promise<void>;
}

const everyMs = 10_000;
/** A check that takes longer has failed. */
const limitMs = 10_000;
/** Large enough to fail on a full disk, and small enough to be harmless. */
const probe = Buffer.alloc(64 * 1024, 'guildhall');

/** Writes one small blob now and every 10 s, always the same. */
export async function watchStorage(blobs: BlobStore, log: Log): Promise<Watch> {
  return watch(log, 'blobs cannot be written; workers accept no sessions until they can', async (signal) => {
    await blobs.put('health/probe', probe, { signal });
  });
}

/** Checks now and every 10 s if these directories have more free space than must stay free, in bytes. */
export async function watchDisk(directories: readonly string[], reserveBytes: number, log: Log): Promise<Watch> {
  return watch(log, 'the disk is almost full; large requests are rejected and no session starts', async () => {
    for (const directory of directories) {
      const { bavail, bsize } = await statfs(directory);
      if (bavail * bsize < reserveBytes)
        throw new Error(
          `${shownBytes(bavail * bsize)} are free for ${directory}, less than the ${shownBytes(reserveBytes)} of GUILDHALL_DISK_RESERVE.`,
        );
    }
  });
}

/** Checks now and every 10 s if the API of this installation, and with it the built-in git host, responds at `url`. */
export async function watchApi(url: string, installation: string, log: Log): Promise<Watch> {
  return watch(log, 'this worker accepts no sessions until it reaches the API', async (signal) => {
    const answer: unknown = await fetch(`${url}/healthz`, { signal, redirect: 'error' })
      .then((response) => response.json())
      .catch((error: unknown) => {
        const { cause } = error instanceof Error ? error : {};
        throw new Error(`GUILDHALL_URL: no API answers at ${url}/healthz: ${messageOf(cause ?? error)}.`);
      });
    const found = typeof answer === 'object' && answer !== null && 'installation' in answer ? answer.installation : '';
    if (found !== installation) throw new Error(`GUILDHALL_URL: ${url}/healthz is not the API of this installation.`);
  });
}

/** Runs a check now and every 10 s; logs when it starts to fail and when it works again. */
async function watch(log: Log, broken: string, check: (signal: AbortSignal) => Promise<void>): Promise<Watch> {
  let problem = '';
  const closing = new AbortController();
  const look = async (): Promise<void> => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(limitMs)]);
    const found = await check(signal).then(() => '', messageOf);
    if (closing.signal.aborted) return;
    if (found !== problem && found !== '') log.error({ reason: found }, broken);
    if (found === '' && problem !== '') log.info({ reason: problem }, 'the problem is solved');
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
