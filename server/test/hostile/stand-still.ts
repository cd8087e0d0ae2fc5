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
  /** Of this machine at this time, where the goal was missed: 1 as the one that the goal was set on, 2 when half as fast. */
  slowness: number;
}

/** The goal on a quiet machine. What stays below is not compared: clocks tell little of so short a time. */
export const goalMs = 50;
/** Hostile input may cost so many times as much as harmless input of its size. */
export const maxRatio = 8;
/** What else the machine does makes a time longer, never shorter: of several the shortest is taken. */
const attempts = 6;

export function holds({ harmlessMs, hostileMs, slowness }: StandStill): boolean {
  return hostileMs <= Math.max(goalMs * Math.max(1, slowness), maxRatio * harmlessMs);
}

export async function measure({ path, input, harmless, hostile }: HostileCase): Promise<StandStill> {
  const found = {
    path,
    input,
    harmlessMs: await longestMs(harmless),
    hostileMs: await longestMs(hostile),
    slowness: 1,
  };
  for (let attempt = 1; attempt < attempts && found.hostileMs > goalMs; attempt += 1) {
    found.harmlessMs = Math.min(found.harmlessMs, await longestMs(harmless));
    found.hostileMs = Math.min(found.hostileMs, await longestMs(hostile));
    found.slowness = Math.min(await slownessNow(), await slownessNow(), await slownessNow());
  }
  return found;
}

/** How many times as long as the machine that the goal was set on this one takes now for the same work. */
async function slownessNow(): Promise<number> {
  return (await longestMs(yardstick)) / yardstickMs;
}

/** Work of the kind that requests cause: text is written, searched and parsed. */
function yardstick(): void {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ name: `x${at}`, values: [at, `${at}`] })));
  for (let at = text.length; at > 0; at -= 1) if (text.codePointAt(at) === 0) throw new Error('no text');
  JSON.parse(text);
}
/** Measured beside the figures of docs/security.md. */
const yardstickMs = 24;

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
