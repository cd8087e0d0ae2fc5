import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGitUser, type GitUser } from '../../../../test/support/git.ts';
import { openDiffRows, rowsOf } from './inline.ts';

let user: GitUser;
let work: string;
beforeAll(async () => {
  user = await createGitUser();
  work = await user.start({ 'old.txt': lines(20).join('\n') });
});
afterAll(() => user.close());

function lines(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}`);
}

const rowsAt = (head: string) => openDiffRows(`${work}/.git`, 'main', head);

test('a row is a header or a line of a diff', () => {
  const patch =
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -2,2 +2,3 @@ f\n one\n-two\n+TWO\n+three\n@@ -9 +10 @@\n-x\n+y\n';
  expect(rowsOf(patch).map((row) => [row.old, row.new])).toEqual([
    [undefined, undefined],
    [2, 2],
    [3, undefined],
    [undefined, 3],
    [undefined, 4],
    [undefined, undefined],
    [9, undefined],
    [undefined, 10],
  ]);
});

test('a line has a row, which leads back to it, also after other lines changed', async () => {
  await user.git(work, 'checkout', '-q', '-b', 'change', 'main');
  const changed = lines(20).map((text, index) => (index === 4 ? 'FIVE' : text));
  const head = await user.commit(work, { 'old.txt': changed.join('\n'), 'new.txt': 'a\nb\nc\n' });
  const rows = await rowsAt(head);
  const row = await rows.rowOf({ path: 'old.txt', side: 'new', line: 5 });
  expect(row).toMatchObject({ path: 'old.txt', row: 6 });
  expect(await rows.rowOf({ path: 'old.txt', side: 'old', line: 5 })).toMatchObject({ row: 5 });
  expect(await rows.rowOf({ path: 'old.txt', side: 'new', line: 15 })).toBeUndefined();
  expect(await rows.rowOf({ path: 'none.txt', side: 'new', line: 1 })).toBeUndefined();
  const added = await rows.rowOf({ path: 'new.txt', side: 'new', line: 2 });
  expect(added).toMatchObject({ row: 3 });
  if (row === undefined || added === undefined) throw new Error('There is no row.');
  expect(await rows.lineAt(row)).toEqual({ side: 'new', line: 5, isOutdated: false });
  expect(await rows.lineAt({ ...row, row: 5 })).toEqual({ side: 'old', line: 5, isOutdated: false });
  expect(await rows.lineAt(added)).toEqual({ side: 'new', line: 2, isOutdated: false });

  const later = await user.commit(work, { 'old.txt': ['zero', ...changed].join('\n'), 'new.txt': 'a\nB\nc\n' });
  const after = await rowsAt(later);
  expect(await after.lineAt(row)).toEqual({ side: 'new', line: 6, isOutdated: false });
  expect(await after.lineAt(added)).toEqual({ side: 'new', line: null, isOutdated: true });
});

test('a place that names a commit has a line, and one that names nothing is outdated', async () => {
  const head = await user.git(work, 'rev-parse', 'change');
  const rows = await rowsAt(head);
  expect(await rows.lineAt({ path: 'old.txt', commit: head, row: 7 })).toMatchObject({ line: 7, isOutdated: false });
  for (const commit of ['0'.repeat(40), '--output=/tmp/x', ''])
    expect(await rows.lineAt({ path: 'old.txt', commit, row: 7 })).toMatchObject({ line: null, isOutdated: true });
  expect(await rows.lineAt({ path: 'gone.txt', commit: head, row: 7 })).toMatchObject({ isOutdated: true });
});
