import { toThousandth } from '../../lib/rounded.ts';
import type { MetricRow } from './store.ts';

interface Measured {
  count: number;
  seconds: number;
  /** The number of times in each class. */
  buckets: Map<number, number>;
}

/** The measurements of an interval, by metric. */
export type Tally = ReadonlyMap<string, Measured>;

export function tallyOf(rows: readonly MetricRow[]): Tally {
  const tally = new Map<string, Measured>();
  for (const { metric, count, seconds, times } of rows) {
    const measured = tally.get(metric) ?? { count: 0, seconds: 0, buckets: new Map<number, number>() };
    measured.count += count;
    measured.seconds += seconds;
    let rest = count;
    for (const [bucket, some] of Object.entries(times)) {
      add(measured.buckets, Number(bucket), some);
      rest -= some;
    }
    if (rest > 0) add(measured.buckets, 0, rest);
    tally.set(metric, measured);
  }
  return tally;
}

function add(buckets: Map<number, number>, bucket: number, count: number): void {
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
}

export function countOf(tally: Tally, metric: string): number {
  return tally.get(metric)?.count ?? 0;
}

export function secondsOf(tally: Tally, metric: string): number {
  return toThousandth(tally.get(metric)?.seconds ?? 0);
}

/** Returns the share of `part` in `whole`; null if there is no whole. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Number((part / whole).toFixed(4));
}

/** Returns the median and the 95th percentile of a time; null without any. */
export function timesOf(tally: Tally, metric: string) {
  const { buckets = new Map<number, number>() } = tally.get(metric) ?? {};
  return {
    count: countOf(tally, metric),
    p50_seconds: percentile(buckets, 0.5),
    p95_seconds: percentile(buckets, 0.95),
  };
}

/**
 * Estimates a percentile in seconds. Class 0 has times up to a millisecond, and there are four classes for each
 * doubling, so that the estimate is off by at most 19 %, and by much less with many times.
 */
export function percentile(buckets: ReadonlyMap<number, number>, share: number): number | null {
  const ordered = [...buckets].toSorted(([a], [b]) => a - b);
  const total = ordered.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  let before = 0;
  for (const [bucket, count] of ordered) {
    if (before + count >= share * total) {
      const part = (share * total - before) / count;
      return bucket === 0 ? 0 : toThousandth(2 ** ((bucket - 1 + part) / 4) / 1_000);
    }
    before += count;
  }
  return null;
}
