import { fieldError } from './field-error.ts';

/** The lengths of time that figures are summed by. */
export const intervals = ['day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

/** Days in UTC, as `YYYY-MM-DD`, both included. */
export interface DayRange {
  from: string;
  to: string;
}

const dayMs = 86_400_000;
/** The first and the last day that a request may name: the year of a day near them also has four digits. */
const [firstDay, lastDay] = ['1970-01-01', '2999-12-31'];
/** The longest range of a request, in days. */
const mostDays = 400;
const usualDays = 30;

/** Follows the name of a field that {@link isDay} refuses. */
export const dayForm = `must be a date of the form YYYY-MM-DD, from ${firstDay} to ${lastDay}.`;

/** Returns true for a date that exists and that a request may name, in the form `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < firstDay || text > lastDay) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}

/** Returns the day in UTC at an instant. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

export function addDays(day: string, count: number): string {
  return dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs));
}

/** Returns the number of days of a range. */
export function countDays({ from, to }: DayRange): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs) + 1;
}

/** Lists the days of a range in order. */
export function daysIn(range: DayRange): string[] {
  const first = Date.parse(`${range.from}T00:00:00Z`);
  return Array.from({ length: Math.max(0, countDays(range)) }, (_, at) => dayOf(new Date(first + at * dayMs)));
}

/** Returns the first day of the interval that contains a day; weeks begin on Monday. */
export function startOf(interval: Interval, day: string): string {
  if (interval === 'month') return `${day.slice(0, 8)}01`;
  if (interval === 'day') return day;
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

/** Returns the first day of the next interval. */
export function nextStart(interval: Interval, start: string): string {
  if (interval === 'day') return addDays(start, 1);
  return interval === 'week' ? addDays(start, 7) : startOf('month', addDays(start, 31));
}

/** Lists the starts of the intervals that contain days of a range. */
export function startsIn(interval: Interval, { from, to }: DayRange): string[] {
  const starts: string[] = [];
  for (let start = startOf(interval, from); start <= to; start = nextStart(interval, start)) starts.push(start);
  return starts;
}

/** Extends a range to whole intervals. */
export function wholeIntervals(interval: Interval, { from, to }: DayRange): DayRange {
  return { from: startOf(interval, from), to: addDays(nextStart(interval, startOf(interval, to)), -1) };
}

/** Parses the range of a request: by default the last 30 days up to today. Throws 400 `invalid_request`. */
export function rangeOf(query: { from?: string | undefined; to?: string | undefined }, now: Date): DayRange {
  for (const name of ['from', 'to'] as const) {
    const text = query[name];
    if (text !== undefined && !isDay(text)) throw fieldError(`/${name}`, dayForm);
  }
  const to = query.to ?? (query.from === undefined ? dayOf(now) : later(dayOf(now), query.from));
  const from = query.from ?? addDays(to, 1 - usualDays);
  if (from > to) throw fieldError('/from', `must not be after to, ${to}.`);
  if (countDays({ from, to }) > mostDays)
    throw fieldError('/from', `must be at most ${mostDays - 1} days before to, ${to}. Request a shorter range.`);
  return { from, to };
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
