import { setTimeout as delay } from 'node:timers/promises';
import { bytesInMemory, fairShareOf, killInside, processesOf, type SeenProcess } from './processes.ts';
import type { Running } from './running.ts';

const shortestPauseMs = 100;
const longestPauseMs = 500;
/** Between these two a look costs at most this part of the time. */
const pausePerLook = 10;
/** Ended processes give their memory back within a few looks; a sandbox that is still too large after these ends. */
const looksToShrink = 10;
/** The memory of the first process and the supervisor in MiB, added to that of the commands. */
const platformMb = 96;
const platformPids = 2;

export interface WatchedMemory {
  /** The host's number of the sandbox's first process. */
  first: number;
  limitMb: number;
  /** Directories inside the sandbox that are held in memory. */
  inMemory: readonly string[];
  /** Called before processes are ended. */
  onKill(): void;
}

/**
 * Holds a sandbox's memory where no control group does, from outside: nothing inside can stop it. Ends the largest programs
 * when all need more than the limit, and the sandbox when that does not help. What the kernel holds for a program (sockets,
 * page tables) it does not see, and between two looks a program can take as much as the machine gives it.
 */
export function watchMemory(running: Running, watched: WatchedMemory): void {
  const stopped = new AbortController();
  void running.sandbox.ended.then(() => stopped.abort());
  const watch = async (): Promise<void> => {
    let tooLarge = 0;
    while (!stopped.signal.aborted) {
      const startedAt = performance.now();
      // It throws when the sandbox has just gone.
      const surplus = await look(watched).catch(() => 0);
      tooLarge = surplus > 0 ? tooLarge + 1 : 0;
      if (tooLarge > looksToShrink) {
        await running.end('out_of_memory', `it held more than ${watched.limitMb} MB of memory and did not shrink`);
        return;
      }
      const pauseMs = pausePerLook * (performance.now() - startedAt);
      await delay(Math.min(longestPauseMs, Math.max(shortestPauseMs, pauseMs)), undefined, {
        signal: stopped.signal,
        ref: false,
      }).catch(() => {});
    }
  };
  void watch();
}

/** Ends what has to be ended for the rest to fit. Answers by how many bytes it was too much. */
async function look({ first, limitMb, inMemory, onKill }: WatchedMemory): Promise<number> {
  const limit = (limitMb + platformMb) * 1024 * 1024;
  const files = bytesInMemory(first, inMemory);
  const processes = await processesOf(first);
  if (total(processes, files) <= limit) return 0;
  // Each counted the whole of what it shares: only now is it worth to ask who really has what.
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

/** Files in memory that a process has mapped are counted by both, so the larger figure stands for the two. */
function total(processes: readonly SeenProcess[], files: number): number {
  const sum = (pick: (one: SeenProcess) => number) => processes.reduce((all, one) => all + pick(one), 0);
  return (
    sum((one) => one.privateBytes) +
    Math.max(
      files,
      sum((one) => one.sharedBytes),
    )
  );
}

function sizeOf({ privateBytes, sharedBytes }: SeenProcess): number {
  return privateBytes + sharedBytes;
}
