import { expect, test } from 'vitest';
import { percentile, rateOf, timesOf } from './tally.ts';

/** The class of a time, as the function `metric_bucket` of the database has it. */
function bucketOf(seconds: number): number {
  return seconds <= 0.001 ? 0 : Math.ceil(Number((4 * Math.log2(seconds * 1_000)).toFixed(9)));
}

test.each([0.002, 0.5, 1, 7, 60, 3_600, 86_400, 2_000_000])('%d s is estimated within 19 %%', (seconds) => {
  const classes = Array.from({ length: bucketOf(seconds) + 1 }, () => 0);
  classes[bucketOf(seconds)] = 1;
  const estimate = percentile(classes, 1, 0.5) ?? 0;
  expect(Math.abs(estimate / seconds - 1)).toBeLessThan(0.19);
});

test('percentiles of many times are close to the true ones', () => {
  const classes = Array.from({ length: bucketOf(1_000) + 1 }, () => 0);
  for (let seconds = 1; seconds <= 1_000; seconds += 1)
    classes[bucketOf(seconds)] = (classes[bucketOf(seconds)] ?? 0) + 1;
  expect(Math.abs((percentile(classes, 1_000, 0.5) ?? 0) / 500 - 1)).toBeLessThan(0.05);
  expect(Math.abs((percentile(classes, 1_000, 0.95) ?? 0) / 950 - 1)).toBeLessThan(0.05);
});

test('nothing measured is no percentile and no rate', () => {
  expect(timesOf(new Map(), 'session.queued')).toEqual({ count: 0, p50_seconds: null, p95_seconds: null });
  expect([rateOf(0, 0), rateOf(1, 3)]).toEqual([null, 0.3333]);
});
