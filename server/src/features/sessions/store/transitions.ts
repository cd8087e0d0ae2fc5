import { statuses, type SessionStatus, type StatusDetail } from '../schemas/session-schemas.ts';

/**
 * The effect on a session's lease:
 *
 * - `keep`: none.
 * - `take`: a worker claims it.
 * - `release`: it is released. If the session must still run, any worker may claim it at once, and no lost attempt is
 *   counted.
 * - `hand_over`: a worker that holds it continues; otherwise like `release`.
 * - `lapse`: it expires. Then another attempt starts, and this one counts as lost.
 */
export type LeaseChange = 'keep' | 'take' | 'release' | 'hand_over' | 'lapse';

/** The effect of an event. */
export interface Transition {
  readonly status: SessionStatus;
  /** The possible details of the status, the usual one first; empty if the detail stays. */
  readonly details: readonly StatusDetail[];
  readonly lease: LeaseChange;
  /** True if the fencing token changes, so that further writes of the session's worker are rejected. */
  readonly fences: boolean;
  /** True if the workers are notified, unless one of them holds the session. */
  readonly wakesWorkers: boolean;
}

interface Rule {
  event: string;
  from: readonly SessionStatus[];
  /** Absent if the status stays. */
  to?: SessionStatus;
  details?: readonly StatusDetail[];
  lease: LeaseChange;
  fences?: true;
  wakesWorkers?: true;
}

/** The statuses in which a worker must run the session, or does. */
const active = ['queued', 'provisioning', 'running'] as const;
const failures = [
  'agent_error',
  'clone_failed',
  'sandbox_lost',
  'model_error',
  'verify_failed',
  'budget_reached',
  'guardrail',
  'timeout',
] as const;

/** All transitions of a session's status; any other is rejected. A new session is `queued`. */
const rules = [
  // A worker claims it, works, and ends the turn. With `_kept` it keeps the sandbox warm for the next message.
  { event: 'claim', from: active, lease: 'take', fences: true },
  { event: 'provision', from: ['queued', 'provisioning'], to: 'provisioning', details: [''], lease: 'keep' },
  {
    event: 'work',
    from: active,
    to: 'running',
    details: ['working', 'planning', 'verifying', 'delivering'],
    lease: 'keep',
  },
  { event: 'complete', from: active, to: 'completed', details: ['finished'], lease: 'release' },
  { event: 'complete_kept', from: active, to: 'completed', details: ['finished'], lease: 'keep' },
  {
    event: 'wait',
    from: [...active, 'waiting'],
    to: 'waiting',
    details: ['awaiting_user', 'awaiting_approval'],
    lease: 'release',
  },
  { event: 'wait_kept', from: active, to: 'waiting', details: ['awaiting_user'], lease: 'keep' },
  { event: 'fail', from: active, to: 'failed', details: failures, lease: 'release' },
  {
    event: 'suspend',
    from: active,
    to: 'suspended',
    details: ['user_request', 'budget_reached', 'capacity'],
    lease: 'release',
  },
  // A worker releases it: for another one to continue at once, or as a failed attempt.
  { event: 'release', from: active, lease: 'release', wakesWorkers: true },
  { event: 'release', from: ['waiting', 'completed'], lease: 'release' },
  { event: 'abandon', from: active, lease: 'lapse' },
  // Limits prevent it from starting: it waits in a queue, ends, or waits for a user to raise the limit. Or its creator may
  // not run it any more: it waits for somebody else to resume it.
  {
    event: 'hold',
    from: active,
    to: 'queued',
    details: ['capacity', 'group_limit'],
    lease: 'release',
    fences: true,
  },
  {
    event: 'refuse',
    from: active,
    to: 'failed',
    details: ['budget_reached', 'guardrail'],
    lease: 'release',
    fences: true,
  },
  {
    event: 'set_aside',
    from: active,
    to: 'suspended',
    details: ['budget_reached', 'user_request'],
    lease: 'release',
    fences: true,
  },
  // Users, and timeouts.
  {
    event: 'suspend',
    from: ['waiting'],
    to: 'suspended',
    details: ['user_request', 'inactivity'],
    lease: 'release',
    fences: true,
  },
  {
    event: 'cancel',
    from: [...active, 'waiting', 'suspended'],
    to: 'canceled',
    details: ['user_request'],
    lease: 'release',
    fences: true,
  },
  {
    event: 'resume',
    from: ['suspended', 'completed', 'failed'],
    to: 'queued',
    details: [''],
    lease: 'hand_over',
    wakesWorkers: true,
  },
  { event: 'message', from: ['waiting'], to: 'running', details: ['working'], lease: 'hand_over', wakesWorkers: true },
  {
    event: 'message',
    from: ['suspended', 'completed', 'failed'],
    to: 'queued',
    details: [''],
    lease: 'hand_over',
    wakesWorkers: true,
  },
] as const satisfies readonly Rule[];

export type SessionEvent = (typeof rules)[number]['event'];
export const sessionEvents: readonly SessionEvent[] = [...new Set(rules.map(({ event }) => event))];

/** A transition that the table does not have: a bug. */
export class IllegalTransition extends Error {
  constructor(status: SessionStatus, event: SessionEvent, why = 'does not apply to it') {
    super(`A session that is ${status} cannot change: the event "${event}" ${why}.`);
    this.name = 'IllegalTransition';
  }
}

/** Returns true if a worker must run a session, or does. */
export function isActive(status: SessionStatus): boolean {
  return active.some((one) => one === status);
}

/** Returns the transition of an event in a status; undefined if the event does not apply. */
export function findTransition(status: SessionStatus, event: SessionEvent): Transition | undefined {
  const rule: Rule | undefined = rules.find(
    (one) => one.event === event && one.from.some((from: SessionStatus) => from === status),
  );
  if (rule === undefined) return undefined;
  const { to = status, details = [], lease, fences = false, wakesWorkers = false } = rule;
  return { status: to, details, lease, fences, wakesWorkers };
}

/** Returns the transition of an event in a status, with one of its details. Throws {@link IllegalTransition}. */
export function requireTransition(status: SessionStatus, event: SessionEvent, detail?: StatusDetail): Transition {
  const transition = findTransition(status, event);
  if (transition === undefined) throw new IllegalTransition(status, event);
  if (detail !== undefined && !transition.details.includes(detail))
    throw new IllegalTransition(status, event, `has no detail "${detail}"`);
  return transition;
}

/** Returns the statuses in which an event applies. */
export function statusesOf(event: SessionEvent): SessionStatus[] {
  return statuses.filter((status) => findTransition(status, event) !== undefined);
}

/** Returns every change between two statuses in the table, as `from>to`; the database enforces the same ones. */
export function statusChanges(): string[] {
  const changes = statuses.flatMap((from) =>
    sessionEvents.flatMap((event) => {
      const to = findTransition(from, event)?.status ?? from;
      return to === from ? [] : [`${from}>${to}`];
    }),
  );
  return [...new Set(changes)].sort();
}
