import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { parsePatch } from 'diff';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diffAndPatch, diffBetween } from './diff.ts';
import { filesBetween } from './file-changes.ts';
import { createGitFixture } from './git-fixture.ts';
import { git } from './native.ts';
import type { GitFixture } from './git-fixture.ts';

let fixture: GitFixture;
beforeAll(async () => {
  fixture = await createGitFixture();
});
afterAll(() => fixture.dispose());

const lines = (count: number, text: string): string =>
  Array.from({ length: count }, (_, index) => `${text} ${index}\n`).join('');

/** Creates a repository whose second commit has every kind of change in git. */
async function everyChange(name: string): Promise<{ work: string; base: string; head: string }> {
  const work = await fixture.work(name, {
    'modified.txt': lines(50, 'line'),
    'deleted.txt': 'gone\n',
    'old name.txt': lines(30, 'same'),
    'moved-only.txt': lines(30, 'other'),
    'mode.sh': '#!/bin/sh\n',
    'binary.bin': Buffer.from([0, 1, 2, 3]),
    'becomes-link': 'target\n',
    'no-newline.txt': 'a',
    'tricky.txt': 'x\ndiff --git a/fake b/fake\n--- a/fake\n+++ b/fake\n',
    'latin1.txt': Buffer.from([0x66, 0xfc, 0x72, 0x0a]),
  });
  const base = await fixture.client(work, 'rev-parse', 'HEAD');
  await writeFile(`${work}/modified.txt`, lines(50, 'line').replace('line 10\n', 'LINE 10\nextra\n'));
  await rm(`${work}/deleted.txt`);
  await rename(`${work}/old name.txt`, `${work}/new "quoted"\tname\n.txt`);
  await writeFile(`${work}/new "quoted"\tname\n.txt`, `${lines(30, 'same')}added\n`);
  await mkdir(`${work}/dir`);
  await rename(`${work}/moved-only.txt`, `${work}/dir/moved-only.txt`);
  await chmod(`${work}/mode.sh`, 0o755);
  await writeFile(`${work}/binary.bin`, Buffer.from([0, 9, 9, 9, 9]));
  await rm(`${work}/becomes-link`);
  await symlink('modified.txt', `${work}/becomes-link`);
  await writeFile(`${work}/no-newline.txt`, 'b');
  await writeFile(`${work}/tricky.txt`, 'y\ndiff --git a/fake b/fake\n');
  await writeFile(`${work}/latin1.txt`, Buffer.from([0x67, 0xfc, 0x72, 0x0a]));
  await writeFile(`${work}/--option ünïcode.txt`, 'new\n');
  await writeFile(`${work}/empty`, '');
  const head = await fixture.commit(work, {});
  return { work, base, head };
}

test('every kind of change has its status, counts and patch', async () => {
  const { work, base, head } = await everyChange('kinds');
  const diff = await diffBetween(`${work}/.git`, base, head);
  const summary = Object.fromEntries(
    diff.files.map((file) => [file.path, [file.status, file.old_path, file.additions, file.deletions, file.binary]]),
  );
  expect(summary).toEqual({
    'modified.txt': ['modified', '', 2, 1, false],
    'deleted.txt': ['deleted', '', 0, 1, false],
    'new "quoted"\tname\n.txt': ['renamed', 'old name.txt', 1, 0, false],
    'dir/moved-only.txt': ['renamed', 'moved-only.txt', 0, 0, false],
    'mode.sh': ['modified', '', 0, 0, false],
    'binary.bin': ['modified', '', 0, 0, true],
    'becomes-link': ['modified', '', 1, 1, false],
    'no-newline.txt': ['modified', '', 1, 1, false],
    'tricky.txt': ['modified', '', 1, 3, false],
    'latin1.txt': ['modified', '', 1, 1, false],
    '--option ünïcode.txt': ['added', '', 1, 0, false],
    empty: ['added', '', 0, 0, false],
  });
  expect(diff).toMatchObject({ base_commit: base, head_commit: head, additions: 8, deletions: 8 });
  for (const file of diff.files) {
    if (file.binary) {
      expect(file.patch).toBe('');
      continue;
    }
    const parsed = parsePatch(file.patch);
    const changed = parsed.flatMap((part) => part.hunks.flatMap((hunk) => hunk.lines));
    expect(
      changed.filter((line) => line.startsWith('+')),
      file.path,
    ).toHaveLength(file.additions);
    expect(
      changed.filter((line) => line.startsWith('-')),
      file.path,
    ).toHaveLength(file.deletions);
    expect(parsed).toHaveLength(file.path === 'becomes-link' ? 2 : 1);
    expect(file.patch.startsWith('diff --git ')).toBe(true);
  }
});

test('the patch, given to git apply, turns the base into exactly the head', async () => {
  const { work, base, head } = await everyChange('apply');
  const { diff, patch } = diffAndPatch(`${work}/.git`, base, head);
  const chunks: Uint8Array[] = [];
  for await (const chunk of patch) chunks.push(chunk);
  expect(await diff).toEqual(await diffBetween(`${work}/.git`, base, head));
  await fixture.client(work, 'checkout', '-q', base);
  await git(['apply', '--index', '-'], { cwd: work, input: Buffer.concat(chunks) });
  expect(await fixture.client(work, 'write-tree')).toBe(await fixture.client(work, 'rev-parse', `${head}^{tree}`));
});

test('equal commits have an empty diff, and "" stands for the empty tree', async () => {
  const work = await fixture.work('empty', { a: 'a\n', b: 'b\n' });
  const head = await fixture.client(work, 'rev-parse', 'HEAD');
  expect(await diffBetween(`${work}/.git`, head, head)).toMatchObject({ additions: 0, files: [] });
  const all = await diffBetween(`${work}/.git`, '', head);
  expect(all).toMatchObject({ base_commit: '', head_commit: head, additions: 2 });
  expect(all.files.map((file) => file.status)).toEqual(['added', 'added']);
  await expect(diffBetween(`${work}/.git`, head, 'f'.repeat(40))).rejects.toMatchObject({ code: 'not_found' });
});

test('a file beyond the cap keeps its counts and loses its patch, and so do all after the total', async () => {
  const work = await fixture.work('caps', { keep: 'x\n' });
  const base = await fixture.client(work, 'rev-parse', 'HEAD');
  const head = await fixture.commit(work, { a: 'a\n', big: lines(5000, 'big'), c: 'c\n', d: lines(100, 'd') });
  const path = `${work}/.git`;
  const perFile = await diffBetween(path, base, head, { maxFilePatchBytes: 10_000 });
  expect(perFile.files.map((file) => [file.path, file.additions, file.patch !== ''])).toEqual([
    ['a', 1, true],
    ['big', 5000, false],
    ['c', 1, true],
    ['d', 100, true],
  ]);
  const total = await diffBetween(path, base, head, { maxPatchBytes: 10_000 });
  expect(total.files.map((file) => file.patch !== '')).toEqual([true, false, false, false]);
  expect(total.additions).toBe(5102);
});

test('sections are told apart however the stream is cut', async () => {
  const { work, base, head } = await everyChange('cut');
  const { createPatchSplitter } = await import('./patch-splitter.ts');
  const { stdout } = await git(['diff-tree', '-r', '-M', '-p', '--full-index', base, head], { gitDir: `${work}/.git` });
  const whole = await diffBetween(`${work}/.git`, base, head);
  for (const size of [1, 2, 11, 12, 13, 100]) {
    const splitter = createPatchSplitter({
      files: whole.files.map(({ path, binary }) => ({ sections: path === 'becomes-link' ? 2 : 1, binary })),
      maxFileBytes: 1e6,
      maxTotalBytes: 1e6,
    });
    const bytes = Buffer.from(stdout);
    for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
    expect(Array.from(splitter.end())).toEqual(whole.files.map((file) => file.patch));
  }
});

test('a listing is read however its stream is cut', async () => {
  const { work, base, head } = await everyChange('pieces');
  const { ChangeReader } = await import('./change-reader.ts');
  const args = ['-r', '-M', '-z', '--raw', '--numstat', '-p', base, head];
  const { stdout } = await git(['diff-tree', ...args], { gitDir: `${work}/.git` });
  const bytes = Buffer.from(stdout);
  const read = (size: number) => {
    const reader = new ChangeReader();
    const patch: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) patch.push(reader.push(bytes.subarray(at, at + size)));
    return { changes: reader.changes, patch: Buffer.concat(patch).toString() };
  };
  const whole = read(bytes.length);
  expect(whole.changes).toHaveLength(12);
  expect(whole.patch.startsWith('diff --git ')).toBe(true);
  for (const size of [1, 2, 7, 100]) expect(read(size)).toEqual(whole);
});

test('large binaries leave the patches of the other files in the diff, and are whole in the patch', async () => {
  const work = await fixture.work('binaries', { keep: 'x\n' });
  const base = await fixture.client(work, 'rev-parse', 'HEAD');
  const head = await fixture.commit(work, { 'a.bin': randomBytes(50_000), 'z.txt': 'z\n' });
  const { diff, patch } = diffAndPatch(`${work}/.git`, base, head, { maxPatchBytes: 10_000 });
  let sizeBytes = 0;
  for await (const chunk of patch) sizeBytes += chunk.length;
  expect(sizeBytes).toBeGreaterThan(50_000);
  const { files } = await diff;
  expect(files.map((file) => [file.path, file.binary, file.patch === ''])).toEqual([
    ['a.bin', true, true],
    ['z.txt', false, false],
  ]);
});

test('a diff whose patch is not read to its end is none', async () => {
  const work = await fixture.work('unread', { a: 'a\n' });
  const head = await fixture.client(work, 'rev-parse', 'HEAD');
  const { diff, patch } = diffAndPatch(`${work}/.git`, '', head);
  await patch.next();
  await patch.return(undefined);
  await expect(diff).rejects.toThrow('The patch was not read completely');
  const missing = diffAndPatch(`${work}/.git`, head, 'f'.repeat(40));
  await expect(missing.patch.next()).rejects.toMatchObject({ code: 'not_found' });
  await expect(missing.diff).rejects.toMatchObject({ code: 'not_found' });
});

test('an aborted diff ends with the signal’s reason', async () => {
  const work = await fixture.work('abort', { a: 'a\n' });
  const head = await fixture.client(work, 'rev-parse', 'HEAD');
  const controller = new AbortController();
  controller.abort(new Error('enough'));
  await expect(diffBetween(`${work}/.git`, '', head, { signal: controller.signal })).rejects.toThrow('enough');
});

test('a tree that holds itself many times over is not listed to its end', async () => {
  const work = await fixture.work('bomb', { a: 'a\n' });
  const gitDir = `${work}/.git`;
  const tree = async (entry: string, count: number): Promise<string> => {
    const input = Array.from({ length: count }, (_, name) => `${entry}\t${name}\n`).join('');
    return (await git(['mktree'], { gitDir, input })).stdout.trim();
  };
  let nested = await tree(`100644 blob ${await fixture.client(work, 'rev-parse', 'HEAD:a')}`, 20);
  for (let level = 0; level < 3; level += 1) nested = await tree(`040000 tree ${nested}`, 20);
  const head = await fixture.client(work, 'commit-tree', '-m', 'bomb', nested);
  await expect(diffBetween(gitDir, '', head)).rejects.toThrow('more than 100,000 files differ');
  await expect(filesBetween(gitDir, '', head)).rejects.toThrow('more than 100,000 files differ');
});
