import { Cron } from 'croner';
import { messageOf } from '../../lib/errors.ts';
import { parseTimeZone } from '../../lib/time-zone.ts';

/** When a schedule or a single time is due. */
export interface Timetable {
  readonly type: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
  /** ISO 8601; `''` unless the type is `once`. */
  readonly at: string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Looked at for the shortest distance between two times of an expression. */
const sampledTimes = 200;
/** From these distances before now, the latest time is searched for. */
const windowsMs = [hourMs, dayMs, 8 * dayMs, 32 * dayMs, 400 * dayMs];

/** Returns why an expression or its time zone is invalid, as a phrase about the field; undefined if they are valid. */
export function scheduleProblem(
  { cron, timezone }: Pick<Timetable, 'cron' | 'timezone'>,
  now: Date,
): { field: 'cron' | 'timezone'; message: string } | undefined {
  if (parseTimeZone(timezone) === undefined)
    return { field: 'timezone', message: 'must be an IANA time zone, such as "Europe/Berlin".' };
  if (!/^[\w*,/#?+-]+(?: [\w*,/#?+-]+){4}$/.test(cron))
    return {
      field: 'cron',
      message: 'must have five fields separated by a space: minute, hour, day of the month, month, day of the week.',
    };
  try {
    if (cronOf(cron, timezone).nextRun(now) === null) return { field: 'cron', message: 'has no time to come.' };
  } catch (error) {
    return { field: 'cron', message: `is not valid: ${messageOf(error).replace(/^Cron\w*: /, '')}.` };
  }
  return undefined;
}

/** Returns true if two of the next times are less than `minutes` apart, without changes of the clock. */
export function isMoreFrequent(cron: string, minutes: number, from: Date): boolean {
  let time = cronOf(cron, 'UTC').nextRun(from);
  for (let looked = 1; looked < sampledTimes && time !== null; looked += 1) {
    const next = cronOf(cron, 'UTC').nextRun(time);
    if (next !== null && next.getTime() - time.getTime() < minutes * minuteMs) return true;
    time = next;
  }
  return false;
}

/** Returns the first time after `after`; undefined for none. */
export function nextTime(timetable: Timetable, after: Date): Date | undefined {
  return nextTimes(timetable, after, 1)[0];
}

/** Returns the next times after `after`, at most `count`. */
export function nextTimes({ type, cron, timezone, at }: Timetable, after: Date, count: number): Date[] {
  if (type === 'once') {
    const time = new Date(at);
    return time > after ? [time] : [];
  }
  return type === 'schedule' ? cronOf(cron, timezone).nextRuns(count, after) : [];
}

/** Times that came due while nobody looked. */
export interface DueTimes {
  /** The latest ones, oldest first. */
  readonly times: readonly Date[];
  /** The first time to come; undefined for none. */
  readonly next: Date | undefined;
}

/** Returns the times from `due`, which has come, up to `now`: the latest `count` of them, and the next one. */
export function dueTimes(timetable: Timetable, due: Date, now: Date, count: number): DueTimes {
  const first = nextTime(timetable, due);
  if (first === undefined || first > now) return { times: [due], next: first };
  let times: Date[] = [];
  for (const windowMs of windowsMs) {
    const start = Math.max(due.getTime(), now.getTime() - windowMs);
    times = timesUpTo(timetable, new Date(start), now, count);
    if (times.length >= count || start === due.getTime()) break;
  }
  return { times: times.length < count ? [due, ...times] : times, next: nextTime(timetable, now) };
}

/** Returns the latest `count` times after `start` and up to `now`. A window has at most a time per minute. */
function timesUpTo(timetable: Timetable, start: Date, now: Date, count: number): Date[] {
  const times: Date[] = [];
  let time = nextTime(timetable, start);
  while (time !== undefined && time <= now) {
    times.push(time);
    if (times.length > 2 * count) times.splice(0, count);
    time = nextTime(timetable, time);
  }
  return times.slice(-count);
}

const kept = new Map<string, Cron>();
const mostKept = 2_000;

/**
 * Returns the parsed expression. A time that a change of the clock skips comes right after the change, and one that it
 * repeats comes once, unless the expression means every hour.
 */
function cronOf(cron: string, timezone: string): Cron {
  const key = `${cron} ${timezone}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const parsed = new Cron(cron, { timezone, paused: true, mode: '5-part' });
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, parsed);
  return parsed;
}
