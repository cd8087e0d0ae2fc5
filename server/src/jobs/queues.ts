/** What a queue may be told; times in seconds, as pg-boss counts them. */
export interface QueueSettings {
  /** A failed or lost job is tried again this often; the default is for ever, for a wake-up is never given up. */
  retryLimit?: number;
  /** The delay before the first retry; it doubles up to {@link retryDelayMax}. */
  retryDelay?: number;
  retryDelayMax?: number;
}

/**
 * Every queue of the server; a new one is a line here.
 *
 * - `session`: "look at this session". Who runs it is decided by the session's lease, not by the job: its handler claims
 *   the session (or finds that there is nothing to do) and returns, and the run goes on in the worker's own slots.
 * - `mail`: one mail to one person, until the mail server took it.
 * - `upkeep`: the scheduled round that forgets what nobody may ask for any more.
 * - `idle`: the scheduled round that suspends the sessions nobody talks to, and denies what nobody approved in time.
 * - `sweep`: the daily round that looks for what nothing refers to any more.
 * - `purge`: the scheduled round that removes organizations which were deleted 30 days ago.
 */
export const queues = {
  session: {},
  mail: { retryDelay: 2, retryDelayMax: 300 },
  upkeep: { retryDelay: 10 },
  purge: { retryDelay: 60, retryDelayMax: 3_600 },
  idle: { retryDelay: 10 },
  sweep: { retryDelay: 60 },
} as const satisfies Record<string, QueueSettings>;

export type QueueName = keyof typeof queues;
