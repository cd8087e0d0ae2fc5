import { setTimeout as delay } from 'node:timers/promises';

/** A delay that doubles with each failure. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
}

/** Returns the delay after failure number `failures`, from 1; a random half of it spreads processes that failed together. */
export function backoffMs(failures: number, { firstMs, maxMs }: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}

/**
 * Runs `run` until it succeeds. `delayMs` returns the wait after failure number `failures`, from 1; if it returns undefined, the
 * failure is thrown, and it may throw another error itself. `run` gets the number of failures so far. Rejects with the
 * signal's reason if that aborts a wait.
 */
export async function retry<T>(
  run: (failures: number) => Promise<T>,
  delayMs: (error: unknown, failures: number) => number | undefined,
  signal?: AbortSignal,
): Promise<T> {
  for (let failures = 0; ;) {
    try {
      return await run(failures);
    } catch (error) {
      failures += 1;
      const ms = delayMs(error, failures);
      if (ms === undefined) throw error;
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    }
  }
}
