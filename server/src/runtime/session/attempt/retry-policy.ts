import { ProviderError } from '../../../lib/errors.ts';
import { backoffMs, retry } from '../../../lib/retry.ts';

/** An outage that lasted longer than the retry policy waits. */
export class OutageTooLong extends ProviderError {}

/** Long, because giving up loses the work since the last checkpoint. */
const maxOutageMs = 6 * 3_600_000;
/** Short, because a user stopped the turn, or the worker drains. */
const maxOutageWhenStoppedMs = 10_000;
const backoff = { firstMs: 200, maxMs: 2_000 };

/**
 * Retries calls to one service during an outage, for up to 6 hours, or 10 s once the turn was stopped. All calls of an
 * attempt to the service share one policy, so an outage is timed and reported once.
 */
export class RetryPolicy {
  readonly #onOutage: (problem: string) => void;
  readonly #isStopped: () => boolean;
  #since = 0;
  #lastFailedAt = -Infinity;
  #isReported = false;
  /** Time of the first failure after the turn was stopped; shared by calls that wait one after another. */
  #stoppedAt: number | undefined;

  constructor(onOutage: (problem: string) => void, isStopped: () => boolean) {
    this.#onOutage = onOutage;
    this.#isStopped = isStopped;
  }

  /** Calls `run` until it succeeds. Throws {@link OutageTooLong} after the limit; throws a non-retryable error at once. */
  async with<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return retry(
      async () => {
        const result = await run();
        this.#lastFailedAt = -Infinity;
        this.#isReported = false;
        return result;
      },
      (error, failures) => {
        signal.throwIfAborted();
        this.#noteFailure(error);
        return backoffMs(failures, backoff);
      },
      signal,
    );
  }

  #noteFailure(error: unknown): void {
    if (!(error instanceof ProviderError) || !error.retryable) throw error;
    const now = performance.now();
    if (this.#lastFailedAt === -Infinity) this.#since = now;
    this.#lastFailedAt = now;
    this.#stoppedAt = this.#isStopped() ? (this.#stoppedAt ?? now) : undefined;
    if (now - this.#since > maxOutageMs || now - (this.#stoppedAt ?? now) > maxOutageWhenStoppedMs)
      throw new OutageTooLong(error.message, { retryable: true, cause: error });
    if (!this.#isReported) this.#onOutage(error.message);
    this.#isReported = true;
  }
}
