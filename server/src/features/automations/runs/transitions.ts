/** The statuses of an automation's run. */
export const runStatuses = [
  'pending',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'timed_out',
  'canceled',
  'skipped',
  'scheduled',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** The ends of an attempt; a run ends with that of its last attempt. */
export const outcomes = ['succeeded', 'failed', 'timed_out', 'canceled'] as const;
export type Outcome = (typeof outcomes)[number];

/** The effect of an event. */
export interface RunTransition {
  readonly status: RunStatus;
  /** True if the fencing token increases: words of earlier holders are rejected. */
  readonly fences: boolean;
  /** True if the next attempt begins. */
  readonly advances: boolean;
}

interface Rule {
  event: string;
  from: readonly RunStatus[];
  to: RunStatus;
  fences?: true;
  advances?: true;
}

/** All transitions of a run's status; any other is rejected. A new run is `pending`, `skipped` or `scheduled`. */
const rules = [
  // Its session was created, or an external executor claimed it.
  { event: 'start', from: ['pending'], to: 'running', fences: true },
  // A heartbeat of its executor.
  { event: 'renew', from: ['running'], to: 'running' },
  { event: 'succeed', from: ['running'], to: 'succeeded' },
  // A pending run fails if its session cannot be created.
  { event: 'fail', from: ['pending', 'running'], to: 'failed' },
  { event: 'time_out', from: ['running'], to: 'timed_out' },
  // The attempt failed or timed out, and another one follows after a delay.
  { event: 'back_off', from: ['pending', 'running'], to: 'retrying' },
  // The delay is over, or a person starts another attempt.
  { event: 'advance', from: ['retrying', 'failed', 'timed_out', 'canceled'], to: 'pending', advances: true },
  { event: 'cancel', from: ['pending', 'running', 'retrying', 'scheduled'], to: 'canceled' },
  // A success that arrives after the watchdog gave the attempt up, while nobody else has the run.
  { event: 'correct', from: ['timed_out', 'retrying', 'pending'], to: 'succeeded' },
  // The time of a follow-up has come: it starts, or the automation's rules drop it.
  { event: 'come_due', from: ['scheduled'], to: 'pending' },
  { event: 'skip', from: ['scheduled'], to: 'skipped' },
] as const satisfies readonly Rule[];

export type RunEvent = (typeof rules)[number]['event'];
export const runEvents: readonly RunEvent[] = [...new Set(rules.map(({ event }) => event))];

/** A transition that the table does not have: a bug. */
export class IllegalRunTransition extends Error {
  constructor(status: RunStatus, event: RunEvent) {
    super(`A run that is ${status} cannot change: the event "${event}" does not apply to it.`);
    this.name = 'IllegalRunTransition';
  }
}

/** Returns the transition of an event in a status; undefined if the event does not apply. */
export function findRunTransition(status: RunStatus, event: RunEvent): RunTransition | undefined {
  const rule: Rule | undefined = rules.find(
    (one) => one.event === event && one.from.some((from: RunStatus) => from === status),
  );
  if (rule === undefined) return undefined;
  const { to, fences = false, advances = false } = rule;
  return { status: to, fences, advances };
}

/** Returns the transition of an event in a status. Throws {@link IllegalRunTransition}. */
export function requireRunTransition(status: RunStatus, event: RunEvent): RunTransition {
  const transition = findRunTransition(status, event);
  if (transition === undefined) throw new IllegalRunTransition(status, event);
  return transition;
}

/** The statuses of runs that have not ended. */
export const activeRunStatuses = ['pending', 'running', 'retrying'] as const;

export function isActiveRun(status: RunStatus): boolean {
  return activeRunStatuses.some((one) => one === status);
}

/** Returns every change between two statuses in the table, as `from>to`; the database enforces the same ones. */
export function runStatusChanges(): string[] {
  const changes = runStatuses.flatMap((from) =>
    runEvents.flatMap((event) => {
      const to = findRunTransition(from, event)?.status ?? from;
      return to === from ? [] : [`${from}>${to}`];
    }),
  );
  return [...new Set(changes)].sort();
}
