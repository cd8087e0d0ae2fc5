import type { RunEvent, RunStatus } from './transitions.ts';

/** An external executor must report within this time, again and again. */
export const leaseMs = 60_000;

/** The part of a run that decides about its times. */
export interface Timed {
  readonly status: RunStatus;
  readonly scheduled_at: Date | null;
  readonly next_attempt_at: Date | null;
  readonly lease_expires_at: Date | null;
  readonly deadline_at: Date | null;
}

/** The effect of time on a run: `lapse` is the end of its lease or of its time. */
export type DueEvent = Extract<RunEvent, 'advance' | 'come_due'> | 'lapse';

/** Returns the next time at which something happens to a run by itself, and what; undefined for none. */
export function nextDue(run: Timed): { at: Date; event: DueEvent } | undefined {
  if (run.status === 'scheduled')
    return run.scheduled_at === null ? undefined : { at: run.scheduled_at, event: 'come_due' };
  if (run.status === 'retrying')
    return run.next_attempt_at === null ? undefined : { at: run.next_attempt_at, event: 'advance' };
  if (run.status !== 'running') return undefined;
  const ends = [run.lease_expires_at, run.deadline_at].filter((at) => at !== null);
  const [at] = ends.sort((a, b) => a.getTime() - b.getTime());
  return at === undefined ? undefined : { at, event: 'lapse' };
}

const mostBackoffMs = 86_400_000;

/**
 * Returns the time of the next attempt after one that failed: the delay doubles with each attempt, up to a day.
 * Undefined if it was the last one.
 */
export function nextAttemptAt(
  retry: { max_attempts: number; backoff_seconds: number },
  attemptNo: number,
  now: Date,
): Date | undefined {
  if (attemptNo >= retry.max_attempts) return undefined;
  const delayMs = Math.min(retry.backoff_seconds * 1_000 * 2 ** (attemptNo - 1), mostBackoffMs);
  return new Date(now.getTime() + delayMs);
}
