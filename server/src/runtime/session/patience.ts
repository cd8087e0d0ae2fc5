import { setTimeout as delay } from 'node:timers/promises';
import { ProviderError } from '../../lib/errors.ts';

/** How long an outage may last before what it keeps from happening fails. */
const patienceMs = 10_000;
const firstDelayMs = 200;
const longestDelayMs = 2_000;

/**
 * Tries again what a short outage of one service keeps from happening. What an attempt wants of the service shares one: the
 * time of an outage counts once, and it is told of once.
 */
export class Patience {
  readonly #onOutage: (problem: string) => void;
  #since = 0;
  #lastFailedAt = -Infinity;
  #told = false;

  constructor(onOutage: (problem: string) => void) {
    this.#onOutage = onOutage;
  }

  /** Runs it until it succeeds. Throws the last `ProviderError` when the outage lasts, and at once what is none. */
  async with<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const startedAt = performance.now();
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      try {
        const result = await run();
        this.#lastFailedAt = -Infinity;
        return result;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProviderError) || !error.retryable) throw error;
        const now = performance.now();
        if (now - this.#lastFailedAt > patienceMs) this.#since = now;
        this.#lastFailedAt = now;
        if (now - Math.min(this.#since, startedAt) > patienceMs) throw error;
        if (!this.#told) this.#onOutage(error.message);
        this.#told = true;
        await delay(delayMs, undefined, { signal });
      }
    }
  }
}
