import { GithubFailure } from './failures.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const maxRemembered = 1_000;

/**
 * The rate limits that GitHub reported, by token: until they end, calls fail here, because GitHub blocks integrations that go on.
 * A primary limit is an hourly budget; a secondary one ends a burst.
 */
export class RateLimits {
  readonly #now: () => Date;
  readonly #until = new Map<string, number>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Throws a retryable error while the limit of `key` is reached. */
  check(key: string, name: string): void {
    const until = this.#until.get(key);
    if (until === undefined) return;
    if (until > this.#now().getTime()) throw limited(name, until);
    this.#until.delete(key);
  }

  /** Records the limit in a response, and returns the error; undefined if the response reports none. */
  note(
    key: string,
    name: string,
    { status, headers }: Pick<Response, 'status' | 'headers'>,
    reasons: readonly string[],
  ): GithubFailure | undefined {
    if (status !== 403 && status !== 429) return undefined;
    const wait = this.#waitMs(headers, status === 429 || /rate limit/i.test(reasons[0] ?? ''));
    if (wait === undefined) return undefined;
    if (this.#until.size >= maxRemembered) this.#until.clear();
    const until = this.#now().getTime() + Math.min(Math.max(wait, 0), hourMs);
    this.#until.set(key, until);
    return limited(name, until);
  }

  #waitMs(headers: Headers, isLimit: boolean): number | undefined {
    const retryAfter = numberIn(headers, 'retry-after');
    if (retryAfter !== undefined) return retryAfter * 1_000;
    const reset = numberIn(headers, 'x-ratelimit-reset');
    if (numberIn(headers, 'x-ratelimit-remaining') === 0 && reset !== undefined)
      return reset * 1_000 - this.#now().getTime();
    return isLimit ? minuteMs : undefined;
  }
}

function numberIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name) ?? '';
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

function limited(name: string, until: number): GithubFailure {
  const time = new Date(until).toISOString().slice(0, 19);
  return new GithubFailure(`The rate limit of ${name} is reached. It accepts calls again at ${time}Z.`, {
    retryable: true,
    status: 429,
  });
}
