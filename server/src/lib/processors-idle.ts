import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const lookEveryMs = 100;
const waitAtMostMs = 10_000;
/** With one of two processors at work half of the time, the other work of the machine still comes first. */
const idleShare = 0.75;

/** Waits until the machine's processors are idle most of the time, but at most 10 s. Rejects with the signal's reason. */
export async function processorsIdle(signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + waitAtMostMs;
  let before = timesOf();
  while (performance.now() < deadline) {
    await delay(lookEveryMs, undefined, { signal });
    const now = timesOf();
    if (now.idle - before.idle >= idleShare * (now.all - before.all)) return;
    before = now;
  }
}

/** Milliseconds of all processors since the machine started. */
function timesOf(): { idle: number; all: number } {
  const all = cpus().map(({ times }) => times);
  return {
    idle: all.reduce((sum, { idle }) => sum + idle, 0),
    all: all.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
  };
}
