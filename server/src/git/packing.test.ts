import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listRefs } from './bare.ts';
import { countedText, createGitFixture, type GitFixture } from './git-fixture.ts';
import { git } from './native.ts';
import { packIfDue, packLoose, withoutPacking } from './packing.ts';

const options = { timeoutMs: 60_000, leaveBytes: 0 };
const commits = 40;
let fixture: GitFixture;
let path: string;
let number = 0;

beforeAll(async () => {
  fixture = await createGitFixture();
});
afterAll(() => fixture.dispose());
beforeEach(async () => {
  number += 1;
  path = fixture.path(`many-${number}.git`);
  await git(['init', '-q', '--bare', path]);
  await addBranches('first');
});

/** Adds a branch for each of many commits, all in files of their own. */
async function addBranches(name: string): Promise<void> {
  const texts = Array.from({ length: commits - 1 }, (_, index) => `${name}: ${index}`);
  const stream = [countedText(name), ...texts].map((text, index) => commitOf(`${name}/${index}`, text));
  const config = [
    ['fastimport.unpackLimit', '100000'],
    ['core.fsync', 'none'],
  ] as const;
  await git(['fast-import', '--quiet'], { gitDir: path, config, input: stream.join('') });
}

function commitOf(branch: string, text: string): string {
  const file = `M 100644 inline notes.txt\ndata ${text.length}\n${text}\n`;
  return `commit refs/heads/${branch}\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata 1\nx\n${file}`;
}

async function counts(): Promise<Record<string, number>> {
  const { stdout } = await git(['count-objects', '-v'], { gitDir: path });
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(': '))
      .map(([name = '', count]) => [name, Number(count)]),
  );
}

async function looseRefs(): Promise<number> {
  const entries = await readdir(join(path, 'refs'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

test('many refs and objects become one file and one pack, and only once', async () => {
  const before = await listRefs(path, 'refs/');
  expect(await counts()).toMatchObject({ count: 3 * commits, packs: 0 });
  expect(await looseRefs()).toBe(commits);
  expect(await packIfDue(path, options)).toBe(true);
  expect(await counts()).toMatchObject({ count: 0, 'in-pack': 3 * commits, packs: 1 });
  expect(await looseRefs()).toBe(0);
  expect(await listRefs(path, 'refs/')).toEqual(before);
  await git(['fsck', '--full', '--strict'], { gitDir: path });
  expect(await packIfDue(path, options)).toBe(false);
  await addBranches('second');
  expect(await packIfDue(path, options)).toBe(true);
  expect(await counts()).toMatchObject({ count: 0, packs: 2 });
});

test('what a killed run left is removed', async () => {
  const left = join(path, 'objects/pack/.tmp-1-pack-1.pack');
  await writeFile(left, 'x');
  expect(await packIfDue(path, options)).toBe(true);
  expect(existsSync(left)).toBe(false);
});

test('what no ref reaches stays as it is, and makes it due no second time', async () => {
  const { stdout } = await git(['hash-object', '-w', '--stdin'], { gitDir: path, input: countedText('lone') });
  expect(await packIfDue(path, options)).toBe(true);
  expect(await counts()).toMatchObject({ count: 1, packs: 1 });
  expect((await git(['cat-file', 'blob', stdout.trim()], { gitDir: path })).stdout).toBe(countedText('lone'));
  expect(await packIfDue(path, options)).toBe(false);
});

test('a single new object is not worth it', async () => {
  await packIfDue(path, options);
  await git(['hash-object', '-w', '--stdin'], { gitDir: path, input: 'other' });
  expect(await packIfDue(path, options)).toBe(false);
});

test('more than 50 packs become one, unless the caller keeps them', async () => {
  for (let pack = 0; pack < 51; pack += 1)
    await git(['fast-import', '--quiet'], {
      gitDir: path,
      config: [['fastimport.unpackLimit', '1']],
      input: commitOf(`packed/${pack}`, `packed ${pack}`),
    });
  const before = await listRefs(path, 'refs/');
  await packLoose(path, options);
  expect(await counts()).toMatchObject({ count: 0, packs: 52 });
  await addBranches('second');
  expect(await packIfDue(path, options)).toBe(true);
  expect(await counts()).toMatchObject({ count: 0, packs: 1 });
  expect([...(await listRefs(path, 'refs/'))]).toEqual(expect.arrayContaining([...before]));
});

test('nobody packs what another packs, or what is held', async () => {
  const both = await Promise.all([packIfDue(path, options), packIfDue(path, options)]);
  expect(new Set(both)).toEqual(new Set([false, true]));
  await addBranches('second');
  await withoutPacking(path, 1_000, async () => {
    expect(await packIfDue(path, options)).toBe(false);
  });
  expect(await packIfDue(path, options)).toBe(true);
});

test('commits that arrive meanwhile are kept', async () => {
  const work = await fixture.work(`work-${number}`, { 'a.txt': 'a' });
  const push = async (): Promise<string> => {
    const commit = await fixture.commit(work, { 'a.txt': String(Math.random()) });
    await fixture.client(work, 'push', '-q', path, 'HEAD:main');
    return commit;
  };
  const packing = packIfDue(path, options);
  const pushed: string[] = [];
  for (let count = 0; count < 5; count += 1) pushed.push(await push());
  expect(await packing).toBe(true);
  expect((await listRefs(path, 'refs/heads/main')).get('refs/heads/main')).toBe(pushed.at(-1));
  for (const commit of pushed) await git(['cat-file', '-e', commit], { gitDir: path });
  await git(['fsck', '--full', '--strict'], { gitDir: path });
});

test('a repository that is gone does not come back', async () => {
  await rm(path, { recursive: true });
  expect(await packIfDue(path, options)).toBe(false);
  expect(existsSync(path)).toBe(false);
});
