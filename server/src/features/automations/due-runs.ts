import { nextTime, dueTimes } from './schedule.ts';
import type { StoredTrigger } from './schemas.ts';

/** A claimed trigger. */
export interface DueTrigger {
  readonly due_at: Date;
  readonly missed_runs: 'skip' | 'run_once' | 'catch_up';
  /** Of the organization. */
  readonly state: string;
  /** Null if the automation does not have it any more. */
  readonly trigger: StoredTrigger | null;
}

/** The runs of a trigger that is due. */
export interface DueRuns {
  /** The times that get a run, oldest first. */
  readonly runs: readonly Date[];
  /** The latest of the times that get none; undefined if none was missed. */
  readonly missed: Date | undefined;
  readonly next: Date | undefined;
}

/** The latest time is not missed if it is at most this late: a scheduler restarts sooner. */
const graceMs = 5 * 60_000;
/** More missed times than a day has minutes are dropped. */
const mostCaughtUp = 1_440;
/** Per step; the others follow in the next one. */
const mostPerStep = 100;

/** Applies the rule for missed runs. A time is missed if a later one has come too, or if nobody looked for five minutes. */
export function dueRuns({ due_at: due, missed_runs: rule, state, trigger }: DueTrigger, now: Date): DueRuns {
  if (trigger === null) return { runs: [], missed: undefined, next: undefined };
  // Of an organization that is suspended or being deleted nothing starts, and nothing is made up for.
  if (state !== 'active') return { runs: [], missed: undefined, next: nextTime(trigger, now) };
  const { times, next } = dueTimes(trigger, due, now, rule === 'catch_up' ? mostCaughtUp : 1);
  const latest = times.at(-1) ?? due;
  if (rule === 'catch_up')
    return { runs: times.slice(0, mostPerStep), missed: undefined, next: times[mostPerStep] ?? next };
  if (rule === 'run_once' || now.getTime() - latest.getTime() <= graceMs)
    return { runs: [latest], missed: undefined, next };
  return { runs: [], missed: latest, next };
}
