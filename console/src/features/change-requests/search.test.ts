import { expect, test } from 'vitest';
import { requestFiltersOf } from './search.ts';

test('the list shows open ones unless the address says more', () => {
  expect(requestFiltersOf({ state: 'open', repo: 'acme/x' })).toEqual({ repo: 'acme/x' });
  expect(requestFiltersOf({ state: 'any' })).toEqual({ state: 'any' });
  expect(requestFiltersOf({ state: 'gone' })).toEqual({});
});
