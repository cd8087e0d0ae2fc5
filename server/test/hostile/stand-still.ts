import { setImmediate as turn } from 'node:timers/promises';

/** A case: one way to block the event loop. */
export interface HostileCase {
  /** A route, or another receiver of the bytes. */
  path: string;
  /** A description of the input. */
  input: string;
  /** Processes harmless input of the same size. */
  harmless: () => unknown;
  hostile: () => unknown;
}

/** The longest time in milliseconds during which the event loop was blocked. */
export interface StandStill {
  path: string;
  input: string;
  /** 0 if it was not measured, because hostile input took less than the goal. */
  harmlessMs: number;
  hostileMs: number;
  /** The slowness of this machine during a missed goal: 1 for the reference machine, 2 for half its speed. */
  slowness: number;
}

/** The limit on a quiet machine. Shorter times are not compared, because they cannot be measured precisely. */
export const goalMs = 50;
/** The maximum cost of hostile input relative to harmless input of its size. */
export const maxRatio = 8;
/** Other load on the machine only increases a time, so the shortest of several counts. */
const attempts = 6;

export function holds({ harmlessMs, hostileMs, slowness }: StandStill): boolean {
  return hostileMs <= Math.max(goalMs * Math.max(1, slowness), maxRatio * harmlessMs);
}

/** Measures harmless input only where it decides, unless `both` is set. */
export async function measure({ path, input, harmless, hostile }: HostileCase, both: boolean): Promise<StandStill> {
  const found = { path, input, harmlessMs: 0, hostileMs: await longestMs(hostile), slowness: 1 };
  if (both || found.hostileMs > goalMs) found.harmlessMs = await longestMs(harmless);
  for (let attempt = 1; attempt < attempts && found.hostileMs > goalMs; attempt += 1) {
    found.hostileMs = Math.min(found.hostileMs, await longestMs(hostile));
    found.harmlessMs = Math.min(found.harmlessMs, await longestMs(harmless));
    found.slowness = Math.min(await slownessNow(), await slownessNow(), await slownessNow());
  }
  return found;
}

/** Measures how much longer this machine takes now for the same work than the reference machine. */
async function slownessNow(): Promise<number> {
  return (await longestMs(yardstick)) / yardstickMs;
}

/** Does work like that of requests: writes, searches and parses text. */
function yardstick(): void {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ name: `x${at}`, values: [at, `${at}`] })));
  for (let at = text.length; at > 0; at -= 1) if (text.codePointAt(at) === 0) throw new Error('no text');
  JSON.parse(text);
}
/** Measured for the figures of docs/security.md. */
const yardstickMs = 24;

/** A measured time is too long by this at most. Looking in every turn would keep a core busy. */
const everyMs = 2;

/**
 * Returns the longest gap between two turns of the event loop during `work`, without time in which the thread waited
 * for a core.
 */
async function longestMs(work: () => unknown): Promise<number> {
  await turn();
  let longest = 0;
  let since = now();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const at = now();
    longest = Math.max(longest, Math.min(at.wallMs - since.wallMs, at.cpuMs - since.cpuMs + tickMs));
    since = at;
    timer = setTimeout(look, everyMs);
  };
  look();
  await work();
  look();
  clearTimeout(timer);
  return longest;
}

/** Kernels that count thread time in ticks may be behind by one. */
const tickMs = 4;

function now(): { wallMs: number; cpuMs: number } {
  const { user, system } = process.threadCpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000 };
}
