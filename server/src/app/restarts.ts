/** Waits by the number of ends within the window; the last one repeats. */
const delaysMs = [100, 1_000, 3_000, 10_000, 30_000];
const windowMs = 10 * 60_000;
const mostEnds = 10;

/** When a process that ended by itself is started again. */
export interface Restarts {
  /** Counts an end; returns the milliseconds to wait, or undefined if it ended too often. */
  next(nowMs: number): number | undefined;
}

export function createRestarts(): Restarts {
  let ends: number[] = [];
  return {
    next(nowMs) {
      ends = [...ends.filter((at) => nowMs - at < windowMs), nowMs];
      return ends.length < mostEnds ? delaysMs[Math.min(ends.length, delaysMs.length) - 1] : undefined;
    },
  };
}
