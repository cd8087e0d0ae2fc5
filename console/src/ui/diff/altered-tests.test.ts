import { expect, test } from 'vitest';
import { alteredTests } from './altered-tests.ts';

const file = (path: string, status: 'added' | 'modified' | 'deleted' | 'renamed', before = '') => ({
  path,
  old_path: before,
  status,
});

test('tests that were changed are named, new ones and others are not', () => {
  const paths = ['src/x.test.ts', 'test/a.js', 'x/test_y.py', 'a_test.go', 'src/latest.ts', 'contest/x.ts'];
  const files = paths.map((path) => file(path, 'modified'));
  const altered = alteredTests([...files, file('new.test.ts', 'added')]);
  expect(altered.map(({ path }) => path)).toEqual(paths.slice(0, 4));
});

test('a test that was deleted, or renamed to be none, is altered', () => {
  const files = [file('old.test.ts', 'deleted'), file('old.ts', 'renamed', 'other.test.ts')];
  expect(alteredTests(files)).toEqual(files);
});
