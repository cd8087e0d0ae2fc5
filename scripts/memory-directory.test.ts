import { chown, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createMemoryDirectory, removeMemoryDirectory } from './memory-directory.js';

async function memory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'guildhall-memory-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Larger than the number of any process. */
const nobody = 2 ** 22 + 1;

test('the directory of a run is for all users, and is removed with all that it holds', async () => {
  const path = createMemoryDirectory(await memory(), 0) ?? '';
  expect((await stat(path)).mode & 0o7777).toBe(0o1777);
  await mkdir(join(path, 'data'));
  await writeFile(join(path, 'data', 'file'), 'text');
  removeMemoryDirectory(path);
  expect(existsSync(path)).toBe(false);
});

test('without enough space, or without such a file system, there is none', async () => {
  expect(createMemoryDirectory(await memory(), Infinity)).toBeUndefined();
  expect(createMemoryDirectory('/nowhere', 0)).toBeUndefined();
});

test.skipIf(process.getuid?.() !== 0)('those of another user stay (optional: needs root)', async () => {
  const root = await memory();
  const theirs = join(root, `gh${nobody}`);
  await mkdir(theirs);
  await chown(theirs, 65_534, 65_534);
  const hoursAgo = new Date(Date.now() - 3 * 3_600_000);
  await utimes(theirs, hoursAgo, hoursAgo);
  createMemoryDirectory(root, 0);
  expect(existsSync(theirs)).toBe(true);
});

test('directories of runs that were killed hours ago are removed, and no others', async () => {
  const root = await memory();
  const [dead, young, alive, other] = [`gh${nobody}`, `gh${nobody + 1}`, `gh${process.ppid}`, 'other'];
  const hoursAgo = new Date(Date.now() - 3 * 3_600_000);
  for (const name of [dead, young, alive, other]) {
    await mkdir(join(root, name));
    if (name !== young) await utimes(join(root, name), hoursAgo, hoursAgo);
  }
  createMemoryDirectory(root, 0);
  expect((await readdir(root)).toSorted()).toEqual([young, alive, other, `gh${process.pid}`].toSorted());
});
