import { setTimeout as delay } from 'node:timers/promises';
import { memoryFileBytes, fairShareOf, killInside, listProcesses, type ProcessMemory } from './processes.ts';
import type { Running } from './running.ts';

const shortestPauseMs = 100;
const longestPauseMs = 500;
/** Within these limits, measuring takes at most this fraction of the time. */
const pausePerMeasurement = 10;
/** Number of measurements above the limit after which the sandbox ends; killed processes free their memory within a few. */
const measurementsToShrink = 10;
/** Memory of the first process and the supervisor in MiB, in addition to that of the commands. */
const platformMb = 96;
const platformPids = 2;

export interface WatchedMemory {
  /** Host pid of the sandbox's first process. */
  first: number;
  limitMb: number;
  /** Directories inside that are in memory. */
  inMemory: readonly string[];
  /** Called before processes are killed. */
  onKill(): void;
}

/**
 * Enforces a sandbox's memory limit without control groups, from outside, where nothing inside can stop it. Kills the largest
 * programs above the limit, and ends the sandbox if that does not help. It does not see kernel memory (sockets, page tables),
 * and between two measurements a program can allocate without limit.
 */
export function watchMemory(running: Running, watched: WatchedMemory): void {
  const stopped = new AbortController();
  void running.sandbox.ended.then(() => stopped.abort());
  const watch = async (): Promise<void> => {
    let tooLarge = 0;
    while (!stopped.signal.aborted) {
      const startedAt = performance.now();
      // Throws if the sandbox has just ended.
      const surplus = await enforce(watched).catch(() => 0);
      tooLarge = surplus > 0 ? tooLarge + 1 : 0;
      if (tooLarge > measurementsToShrink) {
        await running.end(
          'out_of_memory',
          `it used more than ${watched.limitMb} MB of memory, and killing its largest processes did not help`,
        );
        return;
      }
      const pauseMs = pausePerMeasurement * (performance.now() - startedAt);
      await delay(Math.min(longestPauseMs, Math.max(shortestPauseMs, pauseMs)), undefined, {
        signal: stopped.signal,
        ref: false,
      }).catch(() => {});
    }
  };
  void watch();
}

/** Kills as many processes as needed to fit the limit. Returns the excess in bytes. */
async function enforce({ first, limitMb, inMemory, onKill }: WatchedMemory): Promise<number> {
  const limit = (limitMb + platformMb) * 1024 * 1024;
  const files = memoryFileBytes(first, inMemory);
  const processes = await listProcesses(first);
  if (total(processes, files) <= limit) return 0;
  // The first sum counts shared memory once per process. Only if it exceeds the limit, the costly exact shares are read.
  const fair = processes.map((one) => ({ ...one, sharedBytes: fairShareOf(first, one.pid) ?? one.sharedBytes }));
  const surplus = total(fair, files) - limit;
  if (surplus <= 0) return 0;
  const doomed = new Set<number>();
  let left = surplus;
  for (const one of fair.filter(({ pid }) => pid > platformPids).toSorted((a, b) => sizeOf(b) - sizeOf(a))) {
    if (left <= 0) break;
    doomed.add(one.pid);
    left -= sizeOf(one);
  }
  if (doomed.size > 0) {
    onKill();
    killInside(first, doomed);
  }
  return surplus;
}

/** Mapped files in memory appear in both figures, so the larger one counts. */
function total(processes: readonly ProcessMemory[], files: number): number {
  const sum = (pick: (one: ProcessMemory) => number) => processes.reduce((all, one) => all + pick(one), 0);
  return (
    sum((one) => one.privateBytes) +
    Math.max(
      files,
      sum((one) => one.sharedBytes),
    )
  );
}

function sizeOf({ privateBytes, sharedBytes }: ProcessMemory): number {
  return privateBytes + sharedBytes;
}
