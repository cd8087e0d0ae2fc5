import { expect, test } from 'vitest';
import type { Diff } from '../../git/diff.ts';
import { createDiffCache } from './diff-cache.ts';

function diffOf(patchLength: number): Diff {
  const file = { path: 'a', old_path: '', status: 'added', binary: false, additions: 1, deletions: 0 } as const;
  return {
    base_commit: 'a',
    head_commit: 'b',
    additions: 1,
    deletions: 0,
    files: [{ ...file, patch: 'x'.repeat(patchLength) }],
  };
}

/** Returns a cache, and the keys that were compared. */
function cacheOf(limitBytes: number, patchLength: number) {
  const cache = createDiffCache(limitBytes);
  const compared: string[] = [];
  const get = (key: string) =>
    cache.get(key, () => {
      compared.push(key);
      return Promise.resolve(diffOf(patchLength));
    });
  return { get, compared };
}

test('a pair is compared once, also for those who ask at the same time', async () => {
  const { get, compared } = cacheOf(1_000_000, 10);
  const all = await Promise.all([get('a'), get('a'), get('b')]);
  await get('a');
  expect(compared).toEqual(['a', 'b']);
  expect(all[0]).toBe(all[1]);
});

test('so many bytes are kept, of what was asked for last', async () => {
  const { get, compared } = cacheOf(10_000, 1_000);
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await get(key);
  expect(compared).toEqual(['a', 'b', 'c', 'd', 'b']);
});

test('one that is larger than all that may be kept is answered and not kept', async () => {
  const { get, compared } = cacheOf(10_000, 6_000);
  for (const key of ['a', 'a']) expect((await get(key)).files).toHaveLength(1);
  expect(compared).toEqual(['a', 'a']);
});

test('a failure is told to all who wait, and not kept', async () => {
  const cache = createDiffCache();
  const failing = () => Promise.reject(new Error('git is away'));
  await Promise.all([
    expect(cache.get('a', failing)).rejects.toThrow('git is away'),
    expect(cache.get('a', failing)).rejects.toThrow('git is away'),
  ]);
  expect(await cache.get('a', () => Promise.resolve(diffOf(1)))).toBeDefined();
});
