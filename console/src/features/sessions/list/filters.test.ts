import { expect, test } from 'vitest';
import { filtersOf, isOnBoard, queryOfView, searchOf, searchOfView, showsView } from './filters.ts';

test('an address is read as far as it means something', () => {
  const search = { q: 'x', view: 'table', since: '9d', sort: 'cost', archived: true, repo: 12, tag: '', other: 'y' };
  expect(searchOf(search)).toEqual({ q: 'x', view: 'table', archived: 'true', repo: '12' });
  expect(searchOf({ view: 'board', since: '7d' })).toEqual({ since: '7d' });
});

test('layout and view are no filters', () => {
  expect(filtersOf({ view: 'table', saved: 'viw_1', by: 'me' })).toEqual({ by: 'me' });
});

test('a view keeps the address, and is known again in any order', () => {
  const search = { view: 'table', by: 'me', tag: 'nightly' } as const;
  const kept = queryOfView({ ...search, saved: 'viw_0' });
  expect(kept).toEqual(search);
  expect(searchOfView('viw_1', kept)).toEqual({ ...search, saved: 'viw_1' });
  expect(showsView({ tag: 'nightly', saved: 'viw_1', view: 'table', by: 'me' }, kept)).toBe(true);
  expect(showsView({ tag: 'weekly', saved: 'viw_1', view: 'table', by: 'me' }, kept)).toBe(false);
});

test('the board shows no single state', () => {
  expect(isOnBoard({ by: 'me', repo: 'acme/x' })).toBe(true);
  expect(isOnBoard({ status: 'failed' })).toBe(false);
  expect(isOnBoard({ view: 'table' })).toBe(false);
});
