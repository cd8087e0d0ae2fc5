const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const dayMs = 24 * hour;
/** Delays in milliseconds after the first, second, … failed attempt; the last one repeats. */
const delays = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  3 * hour,
  6 * hour,
  12 * hour,
  dayMs,
];

/** A receiver without a success for this long is disabled, and a delivery without one ends. */
export const giveUpAfterMs = 5 * dayMs;

/** Returns the delay after an attempt that the receiver refused; `attempts` counts from 1. */
export function retryDelayMs(attempts: number): number {
  return delays[Math.min(attempts, delays.length) - 1] ?? dayMs;
}

/** Returns the pause of a receiver that does not answer: a quarter of the time for which it has failed. */
export function pauseMs(failingMs: number): number {
  return Math.min(dayMs, Math.max(5 * second, failingMs / 4));
}
