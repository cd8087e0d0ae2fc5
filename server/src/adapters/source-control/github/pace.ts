import { GithubFailure } from './failures.ts';

const windowMs = 60_000;
/** GitHub's secondary limit is about 80 a minute; people who share the credential write too. */
const maxWrites = 60;
const maxRemembered = 1_000;

/** Keeps what creates content below GitHub's secondary limit, by connection and in this process. */
export class WritingPace {
  readonly #now: () => Date;
  readonly #writes = new Map<string, number[]>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Counts a write. Throws a retryable error if there were too many in the last minute. */
  take(key: string, name: string): void {
    const now = this.#now().getTime();
    const recent = (this.#writes.get(key) ?? []).filter((time) => time > now - windowMs);
    if (recent.length >= maxWrites) {
      const time = new Date((recent[0] ?? now) + windowMs).toISOString().slice(0, 19);
      throw new GithubFailure(
        `${maxWrites} comments and changes were sent to ${name} within a minute, and more could block the connection there. Go on at ${time}Z.`,
        { retryable: true, status: 429 },
      );
    }
    if (this.#writes.size >= maxRemembered) this.#writes.clear();
    this.#writes.set(key, [...recent, now]);
  }
}
