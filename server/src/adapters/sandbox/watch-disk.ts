import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { measureFiles, type MeasuredFiles, type DiskUsage } from './count-files.ts';
import { hasEnded } from './processes.ts';
import type { Running } from './running.ts';

const tickMs = 100;
/** Normally, counts happen at this interval, and take at most this fraction of the time. */
const longestPauseMs = 1_000;
const pausePerCount = 20;
/** If a sandbox may be over its limit, counting takes at most half of the time. */
const pausePerHurriedCount = 1;
/** A sandbox that is ending can no longer be measured: its end is heard of within this time. */
const endingMs = 500;
/** Bytes per inode; the same ratio as in a sandbox's disk image. */
const bytesPerInode = 8_192;
const megabyte = 1024 * 1024;
/** The host's reserve: below it the sandbox with the largest usage is ended, unless that is negligible. */
const reserve: DiskUsage = { bytes: 512 * megabyte, inodes: 10_000 };
const smallBytes = 64 * megabyte;

interface Watched extends MeasuredFiles {
  running: Running;
  limit: DiskUsage;
  taken: DiskUsage;
}

/** Enforces the disk limits of sandboxes without a disk image. */
export interface DiskWatch {
  add(running: Running, counted: MeasuredFiles, limitMb: number): void;
}

/**
 * Counts files, and ends a sandbox above its limit. Counts at once if the whole file system grew by the sandbox's remaining
 * allowance, so that a sandbox can exceed its limit only by what it writes within a tick and a count.
 */
export function createDiskWatch(): DiskWatch {
  const all = new Set<Watched>();
  return {
    add(running, counted, limitMb) {
      const bytes = limitMb * megabyte;
      const limit = { bytes, inodes: bytes / bytesPerInode };
      const watched: Watched = { ...counted, running, limit, taken: { bytes: 0, inodes: 0 } };
      all.add(watched);
      void watch(watched, all).finally(() => all.delete(watched));
    },
  };
}

async function watch(watched: Watched, all: ReadonlySet<Watched>): Promise<void> {
  const { running, directory, limit } = watched;
  const stopped = new AbortController();
  void running.sandbox.ended.then(() => stopped.abort());
  let usedBefore: DiskUsage = { bytes: 0, inodes: 0 };
  let countedAt = -Infinity;
  let tookMs = 0;
  while (!stopped.signal.aborted) {
    const { used, free } = await measureHost(directory);
    if (isShort(free) && isLargest(watched, all)) {
      await running.end('disk_full', "the host's disk is nearly full, and this sandbox uses most of it");
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
      const problem = await findProblem(watched, stopped.signal);
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
async function findProblem(watched: Watched, ended: AbortSignal): Promise<string> {
  const { limit } = watched;
  try {
    watched.taken = await measureFiles(watched);
  } catch {
    await delay(endingMs, undefined, { signal: ended, ref: false }).catch(() => {});
    // The sandbox has ended for another reason.
    if (ended.aborted || (watched.first !== undefined && hasEnded(watched.first))) return '';
    return 'its disk usage could not be measured';
  }
  if (watched.taken.bytes > limit.bytes) return `its files exceed ${limit.bytes / megabyte} MB`;
  return watched.taken.inodes > limit.inodes ? `it has more than ${limit.inodes} files` : '';
}

async function measureHost(directory: string): Promise<{ used: DiskUsage; free: DiskUsage | undefined }> {
  try {
    const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(directory);
    return {
      used: { bytes: (blocks - bfree) * bsize, inodes: files - ffree },
      // Some file systems create inodes on demand and report 0.
      free: { bytes: bavail * bsize, inodes: files === 0 ? Infinity : ffree },
    };
  } catch {
    return { used: { bytes: 0, inodes: 0 }, free: undefined };
  }
}

function isShort(free: DiskUsage | undefined): boolean {
  return free !== undefined && (free.bytes < reserve.bytes || free.inodes < reserve.inodes);
}

function isLargest({ taken }: Watched, all: ReadonlySet<Watched>): boolean {
  const others = [...all].map((one) => one.taken.bytes);
  return (taken.bytes > smallBytes || taken.inodes > reserve.inodes) && taken.bytes >= Math.max(...others);
}
