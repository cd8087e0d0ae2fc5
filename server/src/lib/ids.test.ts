import { expect, test } from 'vitest';
import { firstIdAt, newId } from './ids.ts';

test('ids of one process are unique and sort in the order they were made', () => {
  const ids = Array.from({ length: 20_000 }, () => newId('ses'));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});

test('an id is its prefix and 26 characters of base32 that begin with the time', () => {
  const earlier = newId('org', 0);
  expect(earlier).toMatch(/^org_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(newId('org').slice(4, 12) >= earlier.slice(4, 12)).toBe(true);
});

test('the first id of a moment is no greater than those made then, and greater than those before', () => {
  const now = Date.now() + 60_000;
  const first = firstIdAt('ses', now);
  const ids = [newId('ses', now - 1), newId('ses', now), newId('ses', now + 1)];
  expect(ids.map((id) => id >= first)).toEqual([false, true, true]);
  expect(first).toMatch(/^ses_[0-9a-hjkmnp-tv-z]{26}$/);
});

test('ids follow a clock that was set right again', () => {
  const now = Date.now();
  newId('req', now + 3_600_000);
  expect(newId('req', now) < firstIdAt('req', now + 1)).toBe(true);
});
