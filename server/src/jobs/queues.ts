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
 * - `session`: "a session waits for a worker". Whose turn it is the job does not say: its handler claims what is next, as
 *   far as there are slots, and returns, and the runs go on in them.
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
