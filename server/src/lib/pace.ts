import { setImmediate } from 'node:timers/promises';

/** For how long pieces are looked into, of all that is long together, before everybody else has a turn. */
const sliceMs = 10;

let sinceMs = -Infinity;
let last = Promise.resolve();

/** Resolves when a next piece of something long may be looked into; the work has to follow at once. */
export function pace(): Promise<void> {
  last = last.then(turn);
  return last;
}

async function turn(): Promise<void> {
  if (performance.now() - sinceMs < sliceMs) return;
  await setImmediate();
  sinceMs = performance.now();
}
