import { expect, test } from 'vitest';
import { addressOf, linesOf, requestFiltersOf } from './search.ts';

test('the list shows open ones unless the address says more', () => {
  expect(requestFiltersOf({ state: 'open', repo: 'acme/x' })).toEqual({ repo: 'acme/x' });
  expect(requestFiltersOf({ state: 'any' })).toEqual({ state: 'any' });
  expect(requestFiltersOf({ state: 'gone' })).toEqual({});
});

test('lines are in the address and come back from it', () => {
  const lines = { path: 'a b.ts', side: 'old', from: 3, to: 9 } as const;
  expect(addressOf(lines)).toEqual({ file: 'a b.ts', l: 'old:3-9' });
  expect(linesOf(addressOf(lines))).toEqual(lines);
  expect(linesOf({ file: 'x', l: '7' })).toEqual({ path: 'x', side: 'new', from: 7, to: 7 });
  expect(linesOf({ file: 'x', l: 'nonsense' })).toMatchObject({ from: 1, to: 1 });
  expect(linesOf({ l: '7' })).toBeUndefined();
});
