import { setTimeout as delay } from 'node:timers/promises';
import { ProviderError } from '../../../lib/errors.ts';

/** An outage that lasted for longer than anybody waits for it. */
export class OutageLasts extends ProviderError {}

/** What is done when it is over cannot be had again; so much of it may wait. */
const patienceMs = 6 * 3_600_000;
/** For somebody who stopped the turn, or a worker that drains. */
const shortPatienceMs = 10_000;
const firstDelayMs = 200;
const longestDelayMs = 2_000;

/**
 * Tries again what an outage of one service keeps from happening, for up to 6 hours, or 10 s once the turn was stopped. What
 * an attempt wants of the service shares one: the time of an outage counts once, and it is told of once.
 */
export class RetryPolicy {
  readonly #onOutage: (problem: string) => void;
  readonly #isStopped: () => boolean;
  #since = 0;
  #lastFailedAt = -Infinity;
  #told = false;
  /** When it was first seen that the turn is stopped; several things may wait one after the other. */
  #stoppedAt: number | undefined;

  constructor(onOutage: (problem: string) => void, isStopped: () => boolean) {
    this.#onOutage = onOutage;
    this.#isStopped = isStopped;
  }

  /** Runs it until it succeeds. Throws {@link OutageLasts} when the outage lasts, and at once what is none. */
  async with<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      try {
        const result = await run();
        this.#lastFailedAt = -Infinity;
        this.#told = false;
        return result;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProviderError) || !error.retryable) throw error;
        const now = performance.now();
        if (this.#lastFailedAt === -Infinity) this.#since = now;
        this.#lastFailedAt = now;
        this.#stoppedAt = this.#isStopped() ? (this.#stoppedAt ?? now) : undefined;
        if (now - this.#since > patienceMs || now - (this.#stoppedAt ?? now) > shortPatienceMs)
          throw new OutageLasts(error.message, { retryable: true, cause: error });
        if (!this.#told) this.#onOutage(error.message);
        this.#told = true;
        await delay(delayMs, undefined, { signal });
      }
    }
  }
}
