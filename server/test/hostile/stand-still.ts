import { setImmediate as turn } from 'node:timers/promises';

/** What one way to hold the event loop is measured by. */
export interface HostileCase {
  /** A route, or what takes the bytes. */
  path: string;
  /** What is sent. */
  input: string;
  /** Takes input of the same size that nobody made with a purpose. */
  harmless: () => unknown;
  hostile: () => unknown;
}

/** In milliseconds, the longest time for which the event loop could do nothing else. */
export interface StandStill {
  path: string;
  input: string;
  harmlessMs: number;
  hostileMs: number;
}

/** The goal on a quiet machine. What stays below is not compared: clocks tell little of so short a time. */
export const goalMs = 50;
/** Hostile input may cost so many times as much as harmless input of its size. */
export const maxRatio = 8;
/** What else the machine does makes a time longer, never shorter: of several the shortest is taken. */
const attempts = 4;

export function holds({ harmlessMs, hostileMs }: StandStill): boolean {
  return hostileMs <= Math.max(goalMs, maxRatio * harmlessMs);
}

export async function measure({ path, input, harmless, hostile }: HostileCase): Promise<StandStill> {
  const found = { path, input, harmlessMs: await longestMs(harmless), hostileMs: await longestMs(hostile) };
  for (let attempt = 1; attempt < attempts && found.hostileMs > goalMs; attempt += 1) {
    found.harmlessMs = Math.min(found.harmlessMs, await longestMs(harmless));
    found.hostileMs = Math.min(found.hostileMs, await longestMs(hostile));
  }
  return found;
}

/**
 * The longest gap between two turns of the event loop while `work` goes on. Time that the thread spent waiting for a core is
 * none of it.
 */
async function longestMs(work: () => unknown): Promise<number> {
  await turn();
  let longest = 0;
  let since = now();
  let watching = true;
  const look = (): void => {
    const at = now();
    longest = Math.max(longest, Math.min(at.wallMs - since.wallMs, at.cpuMs - since.cpuMs + tickMs));
    since = at;
    if (watching) setImmediate(look);
  };
  setImmediate(look);
  await work();
  watching = false;
  await turn();
  return longest;
}

/** Kernels that count the time of threads in ticks may be behind by one. */
const tickMs = 4;

function now(): { wallMs: number; cpuMs: number } {
  const { user, system } = process.threadCpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000 };
}
