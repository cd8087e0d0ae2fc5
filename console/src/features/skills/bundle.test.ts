import { expect, test } from 'vitest';
import { changesOf, rangeOfLine, withFile } from './bundle.ts';

const file = (path: string, sha256 = 'a', executable = false) => ({ path, size_bytes: 1, sha256, executable });

test('revisions differ in the files whose content or mode differs', () => {
  const before = [file('SKILL.md'), file('gone.md'), file('run.sh'), file('same.md')];
  const after = [file('SKILL.md', 'b'), file('new.md'), file('run.sh', 'a', true), file('same.md')];
  expect(changesOf(before, after)).toEqual([
    { path: 'SKILL.md', change: 'changed' },
    { path: 'gone.md', change: 'removed' },
    { path: 'new.md', change: 'added' },
    { path: 'run.sh', change: 'changed' },
  ]);
});

test('a line is found, and none behind the last', () => {
  const text = 'one\ntwo\n\nfour';
  expect([1, 2, 3, 4, 9].map((line) => text.slice(...Object.values(rangeOfLine(text, line))))).toEqual([
    'one',
    'two',
    '',
    'four',
    'four',
  ]);
});

test('the changed file takes the place of its former content', () => {
  const was = {
    path: 'SKILL.md',
    content: 'a',
    encoding: 'utf8' as const,
    size_bytes: 1,
    sha256: '',
    executable: false,
  };
  const other = { ...was, path: 'b', revision: 1 };
  const files = withFile([{ ...was, revision: 1 }, other], { path: 'SKILL.md', content: 'b' });
  expect(files.map(({ path, content }) => [path, content])).toEqual([
    ['b', 'a'],
    ['SKILL.md', 'b'],
  ]);
});
