import { expect, test } from 'vitest';
import { rangeOf, textOf } from './range.ts';

test('an address names two versions that exist', () => {
  expect(rangeOf('3..5', 5)).toEqual({ from: 3, to: 5 });
  for (const text of [undefined, '', '3', '0..2', '3..6', 'a..b', '1..2..3']) expect(rangeOf(text, 5)).toBeUndefined();
});

test('a value is shown as JSON, clipped', () => {
  expect([textOf('a'), textOf({ a: [1] }), textOf(null)]).toEqual(['a', '{\n  "a": [\n    1\n  ]\n}', 'null']);
  expect(textOf('x'.repeat(5_000)).length).toBeLessThan(4_100);
});
