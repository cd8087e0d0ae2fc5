import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { countFiles, type Counted, type Taken } from './count-files.ts';
import { hasEnded } from './processes.ts';
import type { Running } from './running.ts';

const tickMs = 100;
/** Without a reason to hurry, files are counted this often, and a count costs at most this part of the time. */
const longestPauseMs = 1_000;
const pausePerCount = 20;
/** With one, counting costs at most half of the time. */
const pausePerHurriedCount = 1;
/** A file system of `disk_mb` made for a sandbox has one inode for so many bytes: the same holds without one. */
const bytesPerInode = 8_192;
const megabyte = 1024 * 1024;
/** The reserve of the host: below it the sandbox with the largest usage is ended, unless its usage is negligible. */
const reserve: Taken = { bytes: 512 * megabyte, inodes: 10_000 };
const smallBytes = 64 * megabyte;

interface Watched extends Counted {
  running: Running;
  limit: Taken;
  taken: Taken;
}

/** Holds the disks of a driver's sandboxes where no sized file system does. */
export interface DiskWatch {
  add(running: Running, counted: Counted, limitMb: number): void;
}

/**
 * Counts files, and ends a sandbox that has more than its limit. It counts at once when the whole file system grew by what
 * a sandbox may still take, so what can be written beyond a limit is what fits into a tick and a count.
 */
export function createDiskWatch(): DiskWatch {
  const all = new Set<Watched>();
  return {
    add(running, counted, limitMb) {
      const bytes = limitMb * megabyte;
      const limit = { bytes, inodes: bytes / bytesPerInode };
      const watched: Watched = { ...counted, running, limit, taken: { bytes: 0, inodes: 0 } };
      all.add(watched);
      void follow(watched, all).finally(() => all.delete(watched));
    },
  };
}

async function follow(watched: Watched, all: ReadonlySet<Watched>): Promise<void> {
  const { running, directory, limit } = watched;
  const stopped = new AbortController();
  void running.sandbox.ended.then(() => stopped.abort());
  let usedBefore: Taken = { bytes: 0, inodes: 0 };
  let countedAt = -Infinity;
  let tookMs = 0;
  while (!stopped.signal.aborted) {
    const { used, free } = await lookAtHost(directory);
    if (isShort(free) && isLargest(watched, all)) {
      await running.end('disk_full', "the host's disk is nearly full, and no sandbox has more on it");
      return;
    }
    const sinceMs = performance.now() - countedAt;
    const mayBeOver =
      used.bytes - usedBefore.bytes > limit.bytes - watched.taken.bytes ||
      used.inodes - usedBefore.inodes > limit.inodes - watched.taken.inodes;
    const dueMs = mayBeOver ? pausePerHurriedCount * tookMs : Math.max(longestPauseMs, pausePerCount * tookMs);
    if (sinceMs >= dueMs) {
      usedBefore = used;
      const startedAt = performance.now();
      const problem = await judge(watched);
      if (stopped.signal.aborted) return;
      if (problem !== '') {
        await running.end('disk_full', problem);
        return;
      }
      countedAt = performance.now();
      tookMs = countedAt - startedAt;
    }
    await delay(tickMs, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
  }
}

/** Returns the problem of a sandbox's files; `''` for none. */
async function judge(watched: Watched): Promise<string> {
  const { limit } = watched;
  try {
    watched.taken = await countFiles(watched);
  } catch {
    // It is over without us, for a reason of its own.
    if (watched.first !== undefined && hasEnded(watched.first)) return '';
    return 'its files could not be counted';
  }
  if (watched.taken.bytes > limit.bytes) return `its files need more than ${limit.bytes / megabyte} MB`;
  return watched.taken.inodes > limit.inodes ? `it has more than ${limit.inodes} files` : '';
}

async function lookAtHost(directory: string): Promise<{ used: Taken; free: Taken | undefined }> {
  try {
    const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(directory);
    return {
      used: { bytes: (blocks - bfree) * bsize, inodes: files - ffree },
      // Some file systems make inodes as they need them, and tell of none.
      free: { bytes: bavail * bsize, inodes: files === 0 ? Infinity : ffree },
    };
  } catch {
    return { used: { bytes: 0, inodes: 0 }, free: undefined };
  }
}

function isShort(free: Taken | undefined): boolean {
  return free !== undefined && (free.bytes < reserve.bytes || free.inodes < reserve.inodes);
}

function isLargest({ taken }: Watched, all: ReadonlySet<Watched>): boolean {
  const others = [...all].map((one) => one.taken.bytes);
  return (taken.bytes > smallBytes || taken.inodes > reserve.inodes) && taken.bytes >= Math.max(...others);
}
