import { expect, test } from 'vitest';
import { isSame } from './same.ts';

test('equality is of values', () => {
  expect([isSame([], {}), isSame(null, {}), isSame([1, [2]], [1, [2]]), isSame({ a: undefined }, {})]).toEqual([
    false,
    false,
    true,
    false,
  ]);
});
