/** The settings of a queue; times in seconds, as in pg-boss. */
export interface QueueSettings {
  /** A failed or lost job is tried again this often; the default is for ever, for a wake-up is never given up. */
  retryLimit?: number;
  /** The delay before the first retry; it doubles up to {@link retryDelayMax}. */
  retryDelay?: number;
  retryDelayMax?: number;
  /**
   * `short` (the default): one job of a key waits while another of it runs. `exclusive`: a key has one job at all, that waits,
   * runs or is tried again; another one is not added meanwhile. It is fixed when the queue is made.
   */
  policy?: 'short' | 'exclusive';
}

/**
 * Every queue of the server; a new one is a line here.
 *
 * - `automation_schedule`: "automations may be due": its handler claims them.
 * - `automation_host`: "look at what this host said of a branch, change request or issue".
 * - `change_request`: "ask the host for the state of this change request".
 * - `follow`: "look at this change request, and do what its checks, reviews and conflicts need".
 * - `mention`: "look for mentions in this issue or change request", or "say what became of this mention".
 * - `review`: "look at this review, or at this change request": start, follow or finish it.
 * - `mail`: one mail to one person, until the mail server took it.
 * - `automation_run`: "look at this run": start it, end what is overdue, or cancel the session of a run that ended.
 * - `automation_hand_out`: "send this run to the receiver of its automation".
 * - `automation_event`: "start the next automations that listen to this event".
 * - `session_creator`: "look if this principal may still run its sessions", and suspend these otherwise.
 * - `webhook`: the due deliveries of one webhook.
 * - `notification`, `notification_mail`: what waits for one receiver, as one message; mails only where there is a mail server.
 * - `maintenance`: the scheduled tasks, a job each under the task's name.
 * - `repository_maintenance`: those that need the repositories' directory.
 * - `delivery`: "read this delivery of a git host".
 * - `git_connection`: "look at the webhooks of this connection's repositories".
 * - `repository_index`: "update the index of this repository".
 * - `wiki`: "make the pages of this repository's wiki".
 * - `wiki_prose`: "look at the prose of this repository's wiki": start the session that writes it, or take what that wrote.
 */
export const queues = {
  automation_schedule: {},
  automation_run: {},
  automation_hand_out: {},
  automation_event: {},
  automation_host: { retryLimit: 20, retryDelay: 10, retryDelayMax: 900 },
  change_request: { retryLimit: 20, retryDelay: 10, retryDelayMax: 900 },
  mention: { retryLimit: 20, retryDelay: 10, retryDelayMax: 900 },
  review: {},
  follow: { retryDelay: 5, retryDelayMax: 300 },
  session_creator: { retryDelay: 2, retryDelayMax: 300 },
  mail: { retryDelay: 2, retryDelayMax: 300 },
  webhook: { retryDelay: 2, retryDelayMax: 300 },
  notification: { retryDelay: 10, retryDelayMax: 300 },
  notification_mail: { retryDelay: 10, retryDelayMax: 300 },
  maintenance: { policy: 'exclusive', retryDelay: 10, retryDelayMax: 300 },
  delivery: { retryDelay: 2, retryDelayMax: 600 },
  git_connection: { retryLimit: 10, retryDelay: 10, retryDelayMax: 600 },
  repository_index: { retryLimit: 5, retryDelay: 30, retryDelayMax: 600 },
  wiki: { retryLimit: 3, retryDelay: 30, retryDelayMax: 600 },
  wiki_prose: { retryLimit: 20, retryDelay: 5, retryDelayMax: 600 },
  repository_maintenance: { policy: 'exclusive', retryDelay: 60, retryDelayMax: 3_600 },
} as const satisfies Record<string, QueueSettings>;

export type QueueName = keyof typeof queues;
