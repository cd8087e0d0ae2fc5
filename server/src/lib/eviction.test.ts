import { expect, test } from 'vitest';
import { chooseEvicted, type CacheEntry } from './eviction.ts';

let count = 0;
/** Returns copies of an organization with these sizes, least recently used first. */
const entriesOf = (orgId: string, sizes: number[], isInUse = false): CacheEntry[] =>
  sizes.map((bytes) => ({ path: `${orgId}/${(count += 1)}`, orgId, bytes, usedMs: count, isInUse }));

const chosen = (copies: readonly CacheEntry[], limits: Partial<Parameters<typeof chooseEvicted>[1]>) =>
  chooseEvicted(copies, { maxBytes: Infinity, missingBytes: 0, unusedBeforeMs: 0, ...limits });

test('nothing goes while all of them fit', () => {
  expect(chosen(entriesOf('a', [5, 5]), { maxBytes: 10 })).toEqual([]);
});

test('of one organization, what was not used for longest goes first, and no more than has to', () => {
  const copies = entriesOf('a', [1, 2, 3, 4]);
  expect(chosen(copies.toReversed(), { maxBytes: 8 })).toEqual(copies.slice(0, 2));
});

test('an organization with much drives out its own copies, however old those of the others are', () => {
  const [old, greedy] = [entriesOf('old', [3, 3]), entriesOf('greedy', [10, 10, 10, 10])];
  expect(chosen([...old, ...greedy], { maxBytes: 20 })).toEqual(greedy.slice(0, 3));
});

test('what is in use stays, and no organization pays for it that takes no more than its part', () => {
  const [old, greedy] = [entriesOf('old', [3, 3]), entriesOf('greedy', [10, 10, 10], true)];
  expect(chosen([...old, ...greedy], { maxBytes: 20 })).toEqual([]);
  const idle = entriesOf('greedy', [1]);
  expect(chosen([...old, ...greedy, ...idle], { maxBytes: 20 })).toEqual(idle);
});

test('for a disk that is nearly full everything idle goes, that of the largest organization first', () => {
  const [small, large] = [entriesOf('small', [3, 3]), entriesOf('large', [10, 10])];
  const held = entriesOf('large', [50], true);
  expect(chosen([...small, ...large, ...held], { missingBytes: 15 })).toEqual(large);
  expect(chosen([...small, ...large, ...held], { missingBytes: 99 })).toEqual([...large, ...small]);
});

test('what was not used for long goes in any case, counts for what is missing, and stays while it is in use', () => {
  const [unused, held, recent] = [entriesOf('a', [5, 5]), entriesOf('a', [5], true), entriesOf('b', [5, 5])];
  const copies = [...recent, ...held, ...unused];
  const unusedBeforeMs = recent[0]?.usedMs ?? 0;
  expect(chosen(copies, { unusedBeforeMs })).toEqual(unused);
  expect(chosen(copies, { unusedBeforeMs, missingBytes: 11 })).toEqual([...unused, ...recent.slice(0, 1)]);
});
