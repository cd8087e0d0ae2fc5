import { expect, test } from 'vitest';
import { treeOf, type TreeEntry } from './tree.ts';

function drawn(entries: TreeEntry<{ path: string }>[], depth = 0): string[] {
  return entries.flatMap(({ name, children }) => [`${' '.repeat(depth)}${name}`, ...drawn(children, depth + 1)]);
}

test('folders come first, and a folder in a folder is one entry', () => {
  const paths = ['z.ts', 'src/deep/er/a.ts', 'src/deep/er/b.ts', 'README.md', 'src/index.ts'];
  expect(drawn(treeOf(paths.map((path) => ({ path }))))).toEqual([
    'src',
    ' deep/er',
    '  a.ts',
    '  b.ts',
    ' index.ts',
    'README.md',
    'z.ts',
  ]);
});

test('every file is in the tree once, with its path', () => {
  const paths = Array.from({ length: 500 }, (_, at) => `p${at % 7}/q${at % 3}/f${at}.ts`);
  const all: string[] = [];
  const collect = (entries: TreeEntry<{ path: string }>[]) => {
    for (const { file, children } of entries) {
      if (file !== undefined) all.push(file.path);
      collect(children);
    }
  };
  collect(treeOf(paths.map((path) => ({ path }))));
  expect(all.toSorted()).toEqual(paths.toSorted());
});
