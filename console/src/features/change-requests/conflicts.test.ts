import { expect, test } from 'vitest';
import { conflictRequest, conflictsOf } from './conflicts.ts';

test('the files of a conflict are what the API names', () => {
  expect(conflictsOf({ code: 'merge_conflict', details: { paths: ['a.txt', 3] } })).toEqual(['a.txt']);
  expect(conflictsOf({ code: 'merge_conflict', details: null })).toEqual([]);
  expect(conflictsOf({ code: 'conflict', details: { paths: ['a.txt'] } })).toEqual([]);
});

test('a session is told what conflicts', () => {
  expect(conflictRequest(3, 'main', [])).toMatch(/^Change request #3 conflicts with `main`\..*check again\.$/);
  expect(conflictRequest(3, 'main', ['a.txt', 'b.txt'])).toContain('in: a.txt, b.txt.');
});
