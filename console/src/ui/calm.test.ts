import { assert, nat, property, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import { calmOf } from './calm.ts';

test('new rows on top wait, and the next page is appended', () => {
  expect(calmOf(['b', 'a'], ['d', 'c', 'b', 'a', 'z'])).toEqual({ order: ['b', 'a', 'z'], waiting: 2 });
});

test('a row that moves stays where it was, and one that is gone leaves', () => {
  expect(calmOf(['a', 'b', 'c'], ['c', 'a'])).toEqual({ order: ['a', 'c'], waiting: 0 });
});

test('a list without a known row is another list', () => {
  expect(calmOf(['a'], ['x', 'y'])).toEqual({ order: ['x', 'y'], waiting: 0 });
  expect(calmOf([], ['x'])).toEqual({ order: ['x'], waiting: 0 });
});

test('every row that was read is drawn once or waits', () => {
  const keys = uniqueArray(nat(30).map(String));
  assert(
    property(keys, keys, (drawn, read) => {
      const { order, waiting } = calmOf(drawn, read);
      expect(new Set(order).size).toBe(order.length);
      expect(order.length + waiting).toBe(read.length);
      expect(order.every((key) => read.includes(key))).toBe(true);
    }),
  );
});
