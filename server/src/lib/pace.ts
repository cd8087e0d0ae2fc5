import { setImmediate } from 'node:timers/promises';

/** The time slice in milliseconds for all long work together before other work gets a turn. */
const sliceMs = 10;

let sinceMs = -Infinity;
let last = Promise.resolve();

/** Resolves when the next piece of long work may run, which must follow at once. */
export function pace(): Promise<void> {
  last = last.then(turn);
  return last;
}

async function turn(): Promise<void> {
  if (performance.now() - sinceMs < sliceMs) return;
  await setImmediate();
  sinceMs = performance.now();
}
