import { setTimeout as delay } from 'node:timers/promises';
import { nextMidnight } from '../../src/lib/time-zone.ts';

/** More than a test needs on a busy machine, and less than the time limit of a hook. */
const neededMs = 120_000;

/** Returns the milliseconds to wait for the next day of a time zone; 0 if enough of the current one is left for a test. */
export function waitForNextDayMs(now: Date, timeZone: string): number {
  const leftMs = nextMidnight(now, timeZone).getTime() - now.getTime();
  return leftMs < neededMs ? leftMs : 0;
}

/**
 * Waits for midnight if the day has less than two minutes left: a test of daily or monthly amounts writes and reads on one
 * day. Call it in `beforeEach`.
 */
export async function withinOneDay(timeZone = 'UTC'): Promise<void> {
  // A timer may fire a little early.
  for (let ms = 1; ms > 0;) {
    ms = waitForNextDayMs(new Date(), timeZone);
    await delay(ms);
  }
}
