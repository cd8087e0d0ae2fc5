import { expect, test } from 'vitest';
import { createRestarts } from './restarts.ts';

const minuteMs = 60_000;

test('a process that ends again and again waits longer each time, and is given up at the tenth end', () => {
  const { next } = createRestarts();
  let nowMs = 0;
  const waits: (number | undefined)[] = [];
  while (waits.at(-1) !== undefined || waits.length === 0) {
    const waitMs = next(nowMs);
    waits.push(waitMs);
    nowMs += (waitMs ?? 0) + 2_000;
  }
  expect(waits).toEqual([100, 1_000, 3_000, 10_000, ...Array(5).fill(30_000), undefined]);
  expect(nowMs).toBeLessThan(5 * minuteMs);
});

test('a process that ends now and then is started again each time, soon', () => {
  const { next } = createRestarts();
  for (let nowMs = 0; nowMs < 24 * 60 * minuteMs; nowMs += 4 * minuteMs) expect(next(nowMs)).toBeLessThanOrEqual(3_000);
});
