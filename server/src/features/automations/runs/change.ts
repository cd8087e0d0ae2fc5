import { requireRunTransition, type Outcome, type RunEvent, type RunStatus } from './transitions.ts';

/** The part of a run that transitions change. */
export interface RunState {
  readonly status: RunStatus;
  readonly attempt_no: number;
  /** The newest fencing token; 0 before the first one. */
  readonly fencing_token: number;
  /** The attempt that got it. */
  readonly token_attempt_no: number;
  /** The end of that attempt; `''` while it runs. */
  readonly outcome: Outcome | '';
  /** True if the watchdog ended it: its lease or its time was over. */
  readonly by_watchdog: boolean;
}

export interface StateMove {
  event: RunEvent;
  /** The end of the attempt; required if a running one does. */
  outcome?: Outcome;
  /** The watchdog ended it. */
  byWatchdog?: boolean;
}

/**
 * Returns a run's state after an event: the status, the attempt and the fencing token. Throws
 * {@link IllegalRunTransition}.
 */
export function stateAfter(run: RunState, { event, outcome, byWatchdog = false }: StateMove): RunState {
  const { status, fences, advances } = requireRunTransition(run.status, event);
  const state: RunState = {
    status,
    attempt_no: run.attempt_no + (advances ? 1 : 0),
    fencing_token: run.fencing_token,
    token_attempt_no: run.token_attempt_no,
    outcome: run.outcome,
    by_watchdog: run.by_watchdog,
  };
  if (event === 'correct') return { ...state, outcome: 'succeeded', by_watchdog: false };
  if (fences)
    return {
      ...state,
      fencing_token: run.fencing_token + 1,
      token_attempt_no: run.attempt_no,
      outcome: '',
      by_watchdog: false,
    };
  if (run.status !== 'running' || status === 'running') return state;
  if (outcome === undefined) throw new Error(`The event "${event}" needs the outcome of the attempt.`);
  return { ...state, outcome, by_watchdog: byWatchdog };
}

const endEvents = {
  succeeded: 'succeed',
  failed: 'fail',
  timed_out: 'time_out',
  canceled: 'cancel',
} as const satisfies Record<Outcome, RunEvent>;

/** Returns the event by which an attempt ends; `retries` says if another one may follow a failure. */
export function endEvent(outcome: Outcome, retries: boolean): RunEvent {
  return retries && isFailure(outcome) ? 'back_off' : endEvents[outcome];
}

export function isFailure(outcome: Outcome): boolean {
  return outcome === 'failed' || outcome === 'timed_out';
}
