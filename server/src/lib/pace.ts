import { setImmediate } from 'node:timers/promises';

/** The time slice in milliseconds for all long work together before other work gets a turn. */
const sliceMs = 10;

const now = Promise.resolve();
let sinceMs = -Infinity;
let waiting = 0;
let last = now;

/** Resolves when the next piece of long work may run, which must follow at once. */
export function pace(): Promise<void> {
  if (waiting === 0 && isInSlice()) return now;
  waiting += 1;
  last = last.then(turn);
  return last;
}

async function turn(): Promise<void> {
  if (!isInSlice()) {
    await setImmediate();
    sinceMs = performance.now();
  }
  waiting -= 1;
}

function isInSlice(): boolean {
  return performance.now() - sinceMs < sliceMs;
}
