import { statuses, type SessionStatus, type StatusDetail } from '../schemas/session-schemas.ts';

/**
 * What becomes of a session's lease:
 *
 * - `keep`: nothing.
 * - `take`: a worker takes it.
 * - `release`: nobody holds it. Where the session is to be worked on, any worker may claim it at once, and no lost attempt is
 *   counted.
 * - `hand_over`: a worker that holds it goes on; else as `release`.
 * - `lapse`: it runs out. Then another attempt begins, and this one counts as lost.
 */
export type LeaseChange = 'keep' | 'take' | 'release' | 'hand_over' | 'lapse';

/** What follows an event. */
export interface Transition {
  readonly status: SessionStatus;
  /** Those that may stand beside the status, the usual one first; empty where the detail stays as it is. */
  readonly details: readonly StatusDetail[];
  readonly lease: LeaseChange;
  /** Whether the fencing token moves on: whatever the session's worker still writes is refused. */
  readonly fences: boolean;
  /** Whether a job tells the workers, unless one of them holds the session. */
  readonly enqueues: boolean;
}

interface Rule {
  event: string;
  from: readonly SessionStatus[];
  /** Absent: the status stays. */
  to?: SessionStatus;
  details?: readonly StatusDetail[];
  lease: LeaseChange;
  fences?: true;
  enqueues?: true;
}

/** A worker is to work on it, or does. */
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

/** Everything that happens to a session's status; what is not here is refused. A new session is `queued`. */
const rules = [
  // A worker takes it, works, and ends the turn. With `_kept` it keeps the sandbox for the next message.
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
  // A worker gives it back: for another one to go on at once, or as an attempt that failed.
  { event: 'release', from: active, lease: 'release', enqueues: true },
  { event: 'release', from: ['waiting', 'completed'], lease: 'release' },
  { event: 'abandon', from: active, lease: 'lapse' },
  // Limits let it not begin: it waits in a line, or ends.
  {
    event: 'hold',
    from: active,
    to: 'queued',
    details: ['capacity', 'group_limit'],
    lease: 'release',
    fences: true,
  },
  { event: 'refuse', from: active, to: 'failed', details: ['budget_reached'], lease: 'release', fences: true },
  // People, and the time that nobody came.
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
    enqueues: true,
  },
  { event: 'message', from: ['waiting'], to: 'running', details: ['working'], lease: 'hand_over', enqueues: true },
  {
    event: 'message',
    from: ['suspended', 'completed', 'failed'],
    to: 'queued',
    details: [''],
    lease: 'hand_over',
    enqueues: true,
  },
] as const satisfies readonly Rule[];

export type SessionEvent = (typeof rules)[number]['event'];
export const sessionEvents: readonly SessionEvent[] = [...new Set(rules.map(({ event }) => event))];

/** A writer tried what the table does not have: a mistake of the program. */
export class IllegalTransition extends Error {
  constructor(status: SessionStatus, event: SessionEvent, why = 'does not apply to it') {
    super(`A session that is ${status} cannot change: the event "${event}" ${why}.`);
    this.name = 'IllegalTransition';
  }
}

/** Whether a worker is to work on a session, or does. */
export function isActive(status: SessionStatus): boolean {
  return active.some((one) => one === status);
}

/** What follows an event in a status; undefined where the event does not apply. */
export function findTransition(status: SessionStatus, event: SessionEvent): Transition | undefined {
  const rule: Rule | undefined = rules.find(
    (one) => one.event === event && one.from.some((from: SessionStatus) => from === status),
  );
  if (rule === undefined) return undefined;
  const { to = status, details = [], lease, fences = false, enqueues = false } = rule;
  return { status: to, details, lease, fences, enqueues };
}

/** What follows an event in a status, with one of its details. Throws {@link IllegalTransition}. */
export function requireTransition(status: SessionStatus, event: SessionEvent, detail?: StatusDetail): Transition {
  const transition = findTransition(status, event);
  if (transition === undefined) throw new IllegalTransition(status, event);
  if (detail !== undefined && !transition.details.includes(detail))
    throw new IllegalTransition(status, event, `has no detail "${detail}"`);
  return transition;
}

/** The statuses in which an event applies. */
export function statusesOf(event: SessionEvent): SessionStatus[] {
  return statuses.filter((status) => findTransition(status, event) !== undefined);
}

/** Every change from one status to another that the table has, as `from>to`: the database holds writers to the same ones. */
export function statusChanges(): string[] {
  const changes = statuses.flatMap((from) =>
    sessionEvents.flatMap((event) => {
      const to = findTransition(from, event)?.status ?? from;
      return to === from ? [] : [`${from}>${to}`];
    }),
  );
  return [...new Set(changes)].sort();
}
