import { expect, test } from 'vitest';
import { rangeOf, writtenLines } from './lines.ts';

test.each([
  ['12', { from: 12, to: 12 }],
  ['10-14', { from: 10, to: 14 }],
  ['14-10', { from: 14, to: 14 }],
  ['0', undefined],
  ['old10', undefined],
  [undefined, undefined],
])('the lines of an address: %s', (written, range) => {
  expect(rangeOf(written)).toEqual(range);
});

test('a further line extends those that are named', () => {
  expect(writtenLines(7)).toBe('7');
  expect(writtenLines(7, { from: 3, to: 4 })).toBe('3-7');
  expect(writtenLines(2, { from: 3, to: 4 })).toBe('2-4');
});
