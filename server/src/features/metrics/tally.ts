import { toThousandth } from '../../lib/rounded.ts';
import type { MetricColumns } from './store.ts';

/** The measurements of a metric on a day. */
interface Measured {
  count: number;
  seconds: number;
  /** The number of times in each class but 0. */
  times: Readonly<Record<string, number>>;
}

/** The measurements of an interval, by metric. */
export type Tally = ReadonlyMap<string, readonly Measured[]>;

/** Returns the tally of all days together, and a function that returns that of an interval; `starts` has each day's interval. */
export function talliesOf(
  metrics: readonly MetricColumns[],
  starts: readonly string[],
): { all: Tally; of: (start: string) => Tally } {
  const all = new Map<string, Measured[]>();
  const byStart = new Map(starts.map((start) => [start, new Map<string, Measured[]>()]));
  for (const { metric, at, count, seconds, times } of metrics)
    at.forEach((day, row) => {
      const measured = { count: count[row] ?? 0, seconds: seconds[row] ?? 0, times: times[row] ?? {} };
      add(all, metric, measured);
      const tally = byStart.get(starts[day] ?? '');
      if (tally !== undefined) add(tally, metric, measured);
    });
  return { all, of: (start) => byStart.get(start) ?? new Map() };
}

function add(tally: Map<string, Measured[]>, metric: string, measured: Measured): void {
  const list = tally.get(metric);
  if (list === undefined) tally.set(metric, [measured]);
  else list.push(measured);
}

export function countOf(tally: Tally, metric: string): number {
  let count = 0;
  for (const measured of tally.get(metric) ?? []) count += measured.count;
  return count;
}

export function secondsOf(tally: Tally, metric: string): number {
  let seconds = 0;
  for (const measured of tally.get(metric) ?? []) seconds += measured.seconds;
  return toThousandth(seconds);
}

/** Returns the share of `part` in `whole`; null if there is no whole. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Number((part / whole).toFixed(4));
}

/** The column has numbers below 10^17 seconds: the last class is number 266. */
const classCount = 267;

/** Returns the median and the 95th percentile of a time; null without any. */
export function timesOf(tally: Tally, metric: string) {
  const classes = new Float64Array(classCount);
  for (const { count, times } of tally.get(metric) ?? []) {
    let rest = count;
    // By number, because listing the names of an object's properties takes longer than anything else here.
    for (let number = 1; number < classCount && rest > 0; number += 1) {
      const some = times[number];
      if (some === undefined) continue;
      classes[number] = (classes[number] ?? 0) + some;
      rest -= some;
    }
    classes[0] = (classes[0] ?? 0) + rest;
  }
  const count = countOf(tally, metric);
  return { count, p50_seconds: percentile(classes, count, 0.5), p95_seconds: percentile(classes, count, 0.95) };
}

/**
 * Estimates a percentile in seconds of `count` times by their number in each class. Class 0 has times up to a millisecond, and
 * there are four classes for each doubling, so that the estimate is off by at most 19 %, and by much less with many times.
 */
export function percentile(classes: ArrayLike<number>, count: number, share: number): number | null {
  if (count === 0) return null;
  let before = 0;
  for (let number = 0; number < classes.length; number += 1) {
    const some = classes[number] ?? 0;
    if (some > 0 && before + some >= share * count) {
      const part = (share * count - before) / some;
      return number === 0 ? 0 : toThousandth(2 ** ((number - 1 + part) / 4) / 1_000);
    }
    before += some;
  }
  return null;
}
