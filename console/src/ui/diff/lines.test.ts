import { expect, test } from 'vitest';
import { showsSide, type DiffFile } from './diff.ts';
import { linesOf, writtenLines } from './lines.ts';

test('lines are in the address and come back from it', () => {
  for (const written of ['10', '10-14', 'old3-4']) {
    const lines = linesOf('a b.ts', written);
    expect(lines === undefined ? '' : writtenLines(lines)).toBe(written);
  }
  expect(linesOf('a', 'old3-9')).toEqual({ path: 'a', side: 'old', from: 3, to: 9 });
  expect(linesOf('a', '9-3')).toMatchObject({ from: 9, to: 9 });
  expect(['', '-1', 'x', '10-', 'old', undefined].map((written) => linesOf('a', written))).toEqual(
    Array(6).fill(undefined),
  );
});

test('a file leads to lines only on the sides that it shows', () => {
  const patch = '@@ -1 +1 @@';
  const file: DiffFile = {
    path: 'a',
    old_path: '',
    status: 'modified',
    binary: false,
    additions: 1,
    deletions: 1,
    patch,
  };
  const sides = (changes: Partial<DiffFile>) =>
    (['old', 'new'] as const).filter((side) => showsSide({ ...file, ...changes }, side));
  expect(sides({})).toEqual(['old', 'new']);
  expect(sides({ status: 'deleted' })).toEqual(['old']);
  expect(sides({ status: 'added' })).toEqual(['new']);
  expect(sides({ binary: true, patch: '' })).toEqual([]);
  expect(sides({ status: 'renamed', patch: '', additions: 0, deletions: 0 })).toEqual([]);
});
