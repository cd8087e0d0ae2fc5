import { expect, test } from 'vitest';
import { waitForNextDayMs } from './day.ts';

test.each([
  ['2026-11-23T23:57:59.999Z', 'UTC', 0],
  ['2026-11-23T23:58:00.001Z', 'UTC', 119_999],
  ['2026-11-30T23:59:59.999Z', 'UTC', 1],
  ['2026-12-01T00:00:00.000Z', 'UTC', 0],
  ['2026-11-23T14:59:30.000Z', 'Asia/Tokyo', 30_000],
  ['2026-11-23T23:59:30.000Z', 'Asia/Tokyo', 0],
])('at %s in %s a test of a day waits for %i ms', (now, timeZone, ms) => {
  expect(waitForNextDayMs(new Date(now), timeZone)).toBe(ms);
});
