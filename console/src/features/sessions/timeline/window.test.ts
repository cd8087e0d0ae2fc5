import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockOf, blockSize, grown, isAttached, mostBlocks, rangeOf, windowAt } from './window.ts';

test('an event is in the block whose range has it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seq) => {
      const { from, to } = rangeOf(blockOf(seq));
      expect(from <= seq && seq <= to).toBe(true);
      expect(to - from + 1).toBe(blockSize);
    }),
  );
});

test('a log opens at its end, or around an event', () => {
  expect(windowAt(0)).toEqual({ first: 0, last: 0 });
  expect(windowAt(200)).toEqual({ first: 0, last: 0 });
  expect(windowAt(201)).toEqual({ first: 0, last: 1 });
  expect(windowAt(20_000)).toEqual({ first: 98, last: 99 });
  expect(windowAt(20_000, 777)).toEqual({ first: 2, last: 4 });
  expect(windowAt(20_000, 1)).toEqual({ first: 0, last: 1 });
  expect(windowAt(500, 99_999)).toEqual({ first: 1, last: 2 });
});

test('a window grows at a side, stays without a gap, and never holds too much', () => {
  const sides = fc.array(fc.constantFrom('earlier' as const, 'later' as const), { maxLength: 300 });
  fc.assert(
    fc.property(fc.nat(100_000), sides, (seq, steps) => {
      let window = windowAt(100_000, seq + 1);
      for (const side of steps) {
        const next = grown(window, side);
        expect(next.last - next.first + 1).toBeLessThanOrEqual(mostBlocks);
        expect(next.first).toBeGreaterThanOrEqual(0);
        if (side === 'earlier') expect(next.first).toBe(Math.max(0, window.first - 1));
        else expect(next.last).toBe(window.last + 1);
        window = next;
      }
    }),
  );
});

test('only a window with the newest event is attached', () => {
  expect(isAttached({ first: 98, last: 99 }, 20_000)).toBe(true);
  expect(isAttached({ first: 98, last: 99 }, 20_001)).toBe(false);
});
