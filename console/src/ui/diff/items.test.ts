import { expect, test } from 'vitest';
import type { DiffFile } from './diff.ts';
import { DiffItems, pathOf } from './items.ts';

const patch = [
  'diff --git a/x.ts b/x.ts',
  'index 1111111..2222222 100644',
  '--- a/x.ts',
  '+++ b/x.ts',
  '@@ -1,2 +1,2 @@',
  ' same',
  '-old',
  '+new',
  '',
].join('\n');

function fileOf(change: Partial<DiffFile>): DiffFile {
  const file = { path: 'x.ts', old_path: '', status: 'modified' as const, binary: false, additions: 1, deletions: 1 };
  return { ...file, patch, ...change };
}

test('a file with a patch becomes its lines, under its own path', () => {
  const [item] = new DiffItems().itemsOf([fileOf({ path: 'a "b"\n.ts' })], []);
  expect(item).toMatchObject({ id: 'a "b"\n.ts', type: 'diff', fileDiff: { name: 'a "b"\n.ts', unifiedLineCount: 3 } });
});

test('characters that hide what code does are seen, in patches, texts and names', () => {
  const trick = "if (level != 'user\u202e \u2066// admin\u2069 \u2066') {";
  const seen = "if (level != 'user‹U+202E› ‹U+2066›// admin‹U+2069› ‹U+2066›') {";
  const files = [
    fileOf({ path: 'gpj\u202e.ts', patch: patch.replace('+new', `+${trick}`) }),
    fileOf({ patch: '', texts: { before: 'a\n', after: `${trick}\n` } }),
  ];
  const items = new DiffItems().itemsOf(files, []);
  expect(items.map(pathOf)).toEqual(['gpj\u202e.ts', 'x.ts']);
  expect(items).toMatchObject([{ fileDiff: { name: 'gpj‹U+202E›.ts' } }, { fileDiff: { name: 'x.ts' } }]);
  for (const item of items)
    expect(item.type === 'diff' ? item.fileDiff.additionLines : []).toContainEqual(expect.stringContaining(seen));
  expect(
    JSON.stringify(new DiffItems().itemsOf([fileOf({ patch: patch.replace('new', '👩\u200d💻 می\u200cخواهم') })], [])),
  ).not.toContain('U+');
});

test('what did not change stays the same object; a note changes only its file', () => {
  const items = new DiffItems();
  const files = [fileOf({}), fileOf({ path: 'y.ts' })];
  const [a, b] = items.itemsOf(files, []);
  expect(items.itemsOf(files, [])).toEqual([a, b]);
  const note = { id: 'n1', path: 'y.ts', side: 'new' as const, line: 2 };
  const [c, d] = items.itemsOf(files, [note]);
  expect(c).toBe(a);
  expect(d).not.toBe(b);
  expect(d).toMatchObject({ annotations: [{ side: 'additions', lineNumber: 2, metadata: { id: 'n1' } }] });
});

test('a note at a line that the patch does not have stands at the nearest one', () => {
  const two = `${patch}@@ -20,2 +20,1 @@\n same\n-gone\n`;
  const lineOf = (side: 'old' | 'new', line: number) => {
    const [item] = new DiffItems().itemsOf([fileOf({ patch: two })], [{ id: 'n', path: 'x.ts', side, line }]);
    return item?.type === 'diff' ? item.annotations?.[0]?.lineNumber : undefined;
  };
  expect([1, 2, 5, 15, 99].map((line) => lineOf('new', line))).toEqual([1, 2, 2, 20, 20]);
  expect(lineOf('old', 99)).toBe(21);
});

test('a patch of two parts is two items of one file', () => {
  const items = new DiffItems().itemsOf([fileOf({ patch: patch + patch })], []);
  expect(items.map(pathOf)).toEqual(['x.ts', 'x.ts']);
  expect(new Set(items.map(({ id }) => id)).size).toBe(2);
});

test('what is no patch is shown as it was written, and what has no patch has no lines', () => {
  const [text, none] = new DiffItems().itemsOf(
    [fileOf({ patch: 'diff --git nonsense\n@@ x' }), fileOf({ path: 'z', patch: '', binary: true })],
    [],
  );
  expect(text).toMatchObject({ type: 'file', file: { contents: 'diff --git nonsense\n@@ x' } });
  expect(none).toMatchObject({ type: 'diff', fileDiff: { hunks: [] } });
});

test('two viewers of the same path never share highlighted lines', () => {
  const keys = [fileOf({}), fileOf({ patch: '', texts: { before: 'a\n', after: 'b\n' } })]
    .flatMap((file) => new DiffItems().itemsOf([file], []))
    .map((item) => (item.type === 'diff' ? item.fileDiff.cacheKey : undefined));
  expect(keys).not.toContain(undefined);
  expect(new Set(keys).size).toBe(2);
});
