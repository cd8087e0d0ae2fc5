import { nextTime, dueTimes, isMoreFrequent } from './schedule.ts';
import type { StoredTrigger } from './schemas.ts';

/** A claimed trigger. */
export interface DueTrigger {
  readonly due_at: Date;
  /** The latest time that started a run; null for none. */
  readonly last_due_at: Date | null;
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
  /** One of the times that get none, and why; undefined if all have one. */
  readonly skipped?: { readonly at: Date; readonly reason: string } | undefined;
  readonly next: Date | undefined;
}

/** The latest time is not missed if it is at most this late: a scheduler restarts sooner. */
const graceMs = 5 * 60_000;
/** More missed times than a day has minutes are dropped. */
const mostCaughtUp = 1_440;
/** Per step; the others follow in the next one. */
const mostPerStep = 100;

const minuteMs = 60_000;

/**
 * Applies the rule for missed runs, and the shortest time between two runs of a schedule. A time is missed if a later one
 * has come too, or if nobody looked for five minutes.
 */
export function dueRuns(due: DueTrigger, now: Date, minIntervalMinutes: number): DueRuns {
  const found = withoutMissed(due, now);
  const { trigger, last_due_at: last } = due;
  return trigger?.type === 'schedule' ? spaced(found, { trigger, last, minIntervalMinutes }) : found;
}

function withoutMissed({ due_at: due, missed_runs: rule, state, trigger }: DueTrigger, now: Date): DueRuns {
  if (trigger === null) return { runs: [], next: undefined };
  // Of an organization that is suspended or being deleted nothing starts, and nothing is made up for.
  if (state !== 'active') return { runs: [], next: nextTime(trigger, now) };
  const { times, next } = dueTimes(trigger, due, now, rule === 'catch_up' ? mostCaughtUp : 1);
  const latest = times.at(-1) ?? due;
  if (rule === 'catch_up') return { runs: times.slice(0, mostPerStep), next: times[mostPerStep] ?? next };
  if (rule === 'run_once' || now.getTime() - latest.getTime() <= graceMs) return { runs: [latest], next };
  const reason = 'The time passed while no scheduler ran, and missed_runs is "skip".';
  return { runs: [], skipped: { at: latest, reason }, next };
}

interface Spacing {
  trigger: StoredTrigger;
  last: Date | null;
  minIntervalMinutes: number;
}

/** Drops the times of a schedule from before the setting was raised that come too soon. A change of the clock does not count. */
function spaced(found: DueRuns, { trigger, last, minIntervalMinutes }: Spacing): DueRuns {
  const leastMs = minIntervalMinutes * minuteMs;
  const runs: Date[] = [];
  let earliestMs = last === null ? -Infinity : last.getTime() + leastMs;
  let early: Date | undefined;
  for (const at of found.runs)
    if (at.getTime() < earliestMs) early ??= at;
    else {
      runs.push(at);
      earliestMs = at.getTime() + leastMs;
    }
  if (early === undefined || !isMoreFrequent(trigger.cron, minIntervalMinutes, early)) return found;
  const reason = `The settings allow a run of a schedule every ${minIntervalMinutes} minutes (automations.min_interval_minutes), so times before ${new Date(earliestMs).toISOString()} are skipped.`;
  const isSoon = found.next !== undefined && found.next.getTime() < earliestMs;
  return {
    runs,
    skipped: { at: early, reason },
    next: isSoon ? nextTime(trigger, new Date(earliestMs - 1)) : found.next,
  };
}
