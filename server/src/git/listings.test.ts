import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGitFixture, type GitFixture } from './git-fixture.ts';
import { findBranches, findPaths } from './listings.ts';

let fixture: GitFixture;
beforeAll(async () => {
  fixture = await createGitFixture();
});
afterAll(() => fixture.dispose());

/** Creates a bare repository and returns a function that runs git in it. */
async function bare(name: string) {
  const path = fixture.path(name);
  await fixture.client(fixture.root, 'init', '-q', '--bare', path);
  const git = (args: string[], input: string | Uint8Array = ''): string =>
    execaSync('git', [`--git-dir=${path}`, ...args], { input, maxBuffer: 1e9 }).stdout;
  return { path, git };
}

const committer = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
const person = 'committer Ada <ada@example.org> 1790000000 +0000';

async function repositoryWith(name: string, paths: Iterable<string>) {
  const { path, git } = await bare(name);
  const lines = [`blob\nmark :1\ndata 1\nx\ncommit refs/heads/main\n${person}\ndata 1\nx\n`];
  for (const file of paths) lines.push(`M 100644 :1 ${file}\n`);
  git(['fast-import', '--quiet'], lines.join(''));
  return { path, git, commit: git(['rev-parse', 'main']) };
}

describe('paths', () => {
  test('file names that match come before directories, page by page, without holes and repetitions', async () => {
    const paths = ['a/one.ts', 'b/other.ts', 'one/a.ts', 'one/b.ts', 'z-one', 'ONE/x/y.ts'];
    const { path, commit } = await repositoryWith('ranked', paths);
    const seen: string[] = [];
    let after: { rank: 0 | 1; index: number } | undefined;
    for (let isMore = true; isMore;) {
      const found = await findPaths(path, commit, { search: 'One', after, limit: 2 });
      expect(found.total).toBe(5);
      seen.push(...found.items.map((item) => item.path));
      after = found.items.at(-1)?.place;
      ({ isMore } = found);
    }
    expect(seen).toEqual(['a/one.ts', 'z-one', 'ONE/x/y.ts', 'one/a.ts', 'one/b.ts']);
  });

  test('that no reader expects are whole, and those that JSON cannot have are left out', async () => {
    const strange = ['two\\nlines', 'tab\\there', '--option', '-z', '\\"quoted\\"', 'ünï/ⅷ'];
    const { path, commit } = await repositoryWith('strange', [
      ...strange.map((name) => `"${name}"`),
      String.raw`"bad\377utf8"`,
      String.raw`"half\303"`,
    ]);
    const { items, total } = await findPaths(path, commit, { search: '', limit: 50 });
    expect(items.map((item) => item.path).toSorted()).toEqual(
      ['two\nlines', 'tab\there', '--option', '-z', '"quoted"', 'ünï/ⅷ'].toSorted(),
    );
    expect(total).toBe(6);
  });

  test('of a million files are searched without holding the event loop or all of them', async () => {
    const { path, git } = await bare('million');
    const blob = git(['hash-object', '-w', '--stdin'], 'x');
    const files = Array.from({ length: 1_000 }, (_, at) => `100644 blob ${blob}\tfile-${at}.ts\n`);
    const tree = git(['mktree'], files.join(''));
    const directories = Array.from({ length: 1_000 }, (_, at) => `040000 tree ${tree}\tdir-${at}\n`);
    const commit = git([...committer, 'commit-tree', '-m', 'x', git(['mktree'], directories.join(''))]);
    let turns = 0;
    const pulse = setInterval(() => (turns += 1), 1);
    const found = await findPaths(path, commit, { search: 'DIR-999/FILE-99', limit: 3 });
    clearInterval(pulse);
    expect(found).toMatchObject({ isMore: true, total: 11 });
    expect(turns).toBeGreaterThan(100);
  });

  test('of trees within trees that name more paths than there are atoms end at the limit', async () => {
    const { path, git } = await bare('bomb');
    const blob = git(['hash-object', '-w', '--stdin'], 'x');
    let tree = git(['mktree'], `100644 blob ${blob}\tf\n`);
    for (let level = 0; level < 30; level += 1)
      tree = git(['mktree'], Array.from({ length: 10 }, (_, at) => `040000 tree ${tree}\tt${at}\n`).join(''));
    const commit = git([...committer, 'commit-tree', '-m', 'x', tree]);
    const found = await findPaths(path, commit, { search: 't9/f', limit: 1 });
    expect(found.items).toHaveLength(1);
    expect(found.total).toBeLessThanOrEqual(100_100);
  });

  test('that are longer than any file system allows are left out', async () => {
    const { path, git } = await bare('long');
    const blob = git(['hash-object', '-w', '--stdin'], 'x');
    const names = ['a', 'b'.repeat(300_000), 'c'];
    const tree = git(['mktree'], names.map((name) => `100644 blob ${blob}\t${name}\n`).join(''));
    const commit = git([...committer, 'commit-tree', '-m', 'x', tree]);
    const { items } = await findPaths(path, commit, { search: '', limit: 9 });
    expect(items.map((item) => item.path)).toEqual(['a', 'c']);
  });

  test('of a commit that the repository does not have are an error of git', async () => {
    const { path } = await bare('empty');
    await expect(findPaths(path, 'a'.repeat(40), { search: '', limit: 1 })).rejects.toMatchObject({ name: 'GitError' });
    await expect(findPaths(path, '--help', { search: '', limit: 1 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('branches', () => {
  test('are listed by name, however many there are', async () => {
    const { path, commit } = await repositoryWith('branches', ['a']);
    const names = Array.from({ length: 50_000 }, (_, at) => `b-${String(at).padStart(6, '0')}`);
    const packed = names.map((name) => `${commit} refs/heads/${name}\n`).join('');
    await writeFile(join(path, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${packed}`);
    const first = await findBranches(path, { search: 'B-0499', limit: 2 });
    expect(first).toEqual({
      items: [
        { name: 'b-049900', sha: commit },
        { name: 'b-049901', sha: commit },
      ],
      isMore: true,
      total: 100,
    });
    const last = await findBranches(path, { search: 'b-0499', after: 'b-049998', limit: 2 });
    expect(last).toMatchObject({ items: [{ name: 'b-049999' }], isMore: false, total: 100 });
    expect(await findBranches(path, { search: '', after: 'main', limit: 2 })).toMatchObject({
      items: [],
      total: 50_001,
    });
  });
});
