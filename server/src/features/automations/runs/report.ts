import type { RunState } from './change.ts';
import type { Outcome, RunStatus } from './transitions.ts';

/** The part of a run that decides about a report. */
export type Reported = Omit<RunState, 'attempt_no'>;

/** The word of an executor. */
export interface Report {
  readonly fencing_token: number;
  readonly attempt_no: number;
  /** `running` is a heartbeat. */
  readonly status: 'running' | Outcome;
}

export type Verdict =
  | { kind: 'refused'; code: 'stale_fencing_token' | 'unknown_fencing_token' | 'run_terminal' }
  /** The same end was reported before. */
  | { kind: 'duplicate' }
  | { kind: 'renew' }
  | { kind: 'end'; outcome: Outcome }
  /** The success of an attempt that the watchdog had given up. */
  | { kind: 'correct' };

const correctable: ReadonlySet<RunStatus> = new Set(['timed_out', 'retrying', 'pending']);

/**
 * Decides about a report. Only the holder of the newest fencing token is heard; 0 was never issued. An end is final,
 * except that a late success replaces the watchdog's `timed_out` while no newer token was issued.
 */
export function judge(run: Reported, report: Report): Verdict {
  const { fencing_token: token, attempt_no: attemptNo, status } = report;
  if (token === 0 || token > run.fencing_token) return refused('unknown_fencing_token');
  if (token < run.fencing_token || attemptNo < run.token_attempt_no) return refused('stale_fencing_token');
  if (attemptNo > run.token_attempt_no) return refused('unknown_fencing_token');
  if (run.outcome === '') return status === 'running' ? { kind: 'renew' } : { kind: 'end', outcome: status };
  if (status === run.outcome) return { kind: 'duplicate' };
  const isLateSuccess = status === 'succeeded' && run.outcome === 'timed_out' && run.by_watchdog;
  return isLateSuccess && correctable.has(run.status) ? { kind: 'correct' } : refused('run_terminal');
}

function refused(code: Extract<Verdict, { kind: 'refused' }>['code']): Verdict {
  return { kind: 'refused', code };
}
