import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  commitInfo,
  defaultBranchOf,
  deleteBranch,
  importBare,
  initBare,
  isAncestor,
  listBranches,
  listRefs,
  mergeBase,
  resolveRef,
  setDefaultBranch,
} from './bare.ts';
import { createGitFixture, serveFixture } from './git-fixture.ts';
import { isBranchName } from './names.ts';
import { git } from './native.ts';
import type { GitFixture, GitServer } from './git-fixture.ts';

let fixture: GitFixture;
let server: GitServer;

beforeAll(async () => {
  fixture = await createGitFixture();
  await mkdir(fixture.path('acme'));
  server = await serveFixture(fixture.root);
});
afterAll(async () => {
  await server.close();
  await fixture.dispose();
});

describe('refs', () => {
  test('a branch, a tag and a shortened id resolve; expressions and options do not', async () => {
    const work = await fixture.work('refs', { 'a.txt': '1' });
    const first = await fixture.client(work, 'rev-parse', 'HEAD');
    await fixture.client(work, 'tag', '-a', 'v1', '-m', 'v1');
    const second = await fixture.commit(work, { 'a.txt': '2' });
    await fixture.client(work, 'branch', 'feature/x');
    await fixture.client(work, 'tag', 'main', first);
    const path = `${work}/.git`;
    expect(await resolveRef(path, 'main')).toBe(second);
    expect(await resolveRef(path, 'feature/x')).toBe(second);
    expect(await resolveRef(path, 'refs/heads/main')).toBe(second);
    expect(await resolveRef(path, 'v1')).toBe(first);
    expect(await resolveRef(path, second)).toBe(second);
    expect(await resolveRef(path, second.slice(0, 10).toUpperCase())).toBe(second);
    const tree = await fixture.client(work, 'rev-parse', 'HEAD^{tree}');
    for (const name of [
      'main~1',
      'HEAD',
      '@',
      'main@{0}',
      '--all',
      '-v',
      'main:a.txt',
      '',
      ' main',
      'main\nv1',
      tree,
      'f'.repeat(40),
    ]) {
      expect(await resolveRef(path, name), name).toBeUndefined();
    }
  });

  test('the names git accepts are accepted and no others', async () => {
    const names = [
      'a',
      'a/b',
      'ä-ß',
      'a.b',
      'x@y',
      'a{b',
      'a.lockx',
      '-a',
      'a..b',
      'a/.b',
      '.a',
      'a.lock',
      'a.lock/b',
      'a//b',
      '/a',
      'a/',
    ];
    names.push('a.', 'a b', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[', 'a\\b', 'a@{b', 'a\u007fb', 'a\tb');
    for (const name of names) {
      const { exitCode } = await git(['check-ref-format', '--branch', name], { okExitCodes: [0, 1, 128, 129] });
      expect([name, isBranchName(name)]).toEqual([name, exitCode === 0]);
    }
  });

  test('branches are listed, deleted only at the expected commit, and refs below a prefix found', async () => {
    const work = await fixture.work('branches', { a: 'a' });
    const sha = await fixture.client(work, 'rev-parse', 'HEAD');
    await fixture.client(work, 'branch', 'topic');
    const path = `${work}/.git`;
    expect(await listBranches(path)).toEqual([
      { name: 'main', sha },
      { name: 'topic', sha },
    ]);
    expect(await deleteBranch(path, 'topic', 'a'.repeat(40))).toBe(false);
    expect(await deleteBranch(path, 'topic', sha)).toBe(true);
    expect(await deleteBranch(path, 'topic')).toBe(false);
    expect(await listRefs(path, 'refs/')).toEqual(new Map([['refs/heads/main', sha]]));
    await expect(deleteBranch(path, '--all')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('a commit tells who, when and why; its ancestors are known', async () => {
    const work = await fixture.work('info', { a: 'a' });
    const first = await fixture.client(work, 'rev-parse', 'HEAD');
    const second = await fixture.commit(work, { a: 'b' }, 'subject line\n\nbody with\nlines');
    const path = `${work}/.git`;
    expect(await commitInfo(path, second)).toMatchObject({
      sha: second,
      parents: [first],
      author: { name: 'Ada', email: 'ada@example.org' },
      subject: 'subject line',
      message: 'subject line\n\nbody with\nlines',
    });
    expect(await commitInfo(path, 'f'.repeat(40))).toBeUndefined();
    await fixture.client(work, 'checkout', '-q', '-b', 'side', first);
    const third = await fixture.commit(work, { c: 'c' });
    await fixture.client(work, 'checkout', '-q', '--orphan', 'lonely');
    const lonely = await fixture.commit(work, { d: 'd' });
    expect(await mergeBase(path, second, third)).toBe(first);
    expect(await mergeBase(path, second, lonely)).toBeUndefined();
    expect(await isAncestor(path, first, third)).toBe(true);
    expect(await isAncestor(path, second, third)).toBe(false);
  });
});

test('a new repository is what git creates, also if several begin it at once; an existing one stays', async () => {
  const [ours, gits] = [fixture.path('new/ours.git'), fixture.path('new/gits.git')];
  await Promise.all(Array.from({ length: 20 }, () => initBare(ours, { defaultBranch: 'develop' })));
  await git(['init', '--quiet', '--bare', '--template=', '--initial-branch=develop', '--', gits]);
  expect((await readdir(ours, { recursive: true })).toSorted()).toEqual(
    (await readdir(gits, { recursive: true })).toSorted(),
  );
  for (const name of ['HEAD', 'config'])
    expect(await readFile(`${ours}/${name}`, 'utf8')).toBe(await readFile(`${gits}/${name}`, 'utf8'));
  await initBare(ours, { defaultBranch: 'main' });
  expect(await defaultBranchOf(ours)).toBe('develop');
});

describe('import', () => {
  test('takes branches, tags and the default branch, and no other refs, through the address it was given', async () => {
    const work = await fixture.work('source', { a: 'a' });
    await fixture.client(work, 'tag', 'v1');
    await fixture.client(work, 'branch', '-m', 'main', 'trunk');
    await fixture.client(work, 'branch', 'other');
    await fixture.client(work, 'update-ref', 'refs/pull/1/head', 'HEAD');
    await rename(`${work}/.git`, fixture.path('acme/source.git'));
    const port = new URL(server.url).port;
    const remote = { url: `http://user:s3cret@git.invalid:${port}/acme/source.git`, addresses: ['127.0.0.1'] };
    const path = fixture.path('imports/source.git');
    const before = server.requests.length;
    expect(await importBare(path, remote, { timeoutMs: 20_000 })).toEqual({ defaultBranch: 'trunk' });
    expect([...(await listRefs(path, 'refs/')).keys()]).toEqual([
      'refs/heads/other',
      'refs/heads/trunk',
      'refs/tags/v1',
    ]);
    expect(await defaultBranchOf(path)).toBe('trunk');
    const credentials = `Basic ${Buffer.from('user:s3cret').toString('base64')}`;
    expect(server.requests.slice(before).every(({ headers }) => headers.authorization === credentials)).toBe(true);
    expect((await git(['config', '--list', '--local'], { gitDir: path })).stdout).not.toMatch(/remote|s3cret/);
  });

  test('of an empty repository gives an empty one', async () => {
    await initBare(fixture.path('acme/empty.git'), { defaultBranch: 'develop' });
    const path = fixture.path('imports/empty.git');
    const result = await importBare(path, { url: `${server.url}/acme/empty.git` }, { timeoutMs: 20_000 });
    expect(result.defaultBranch).toBe('develop');
    await setDefaultBranch(path, 'main');
    expect(await listBranches(path)).toEqual([]);
  });

  test('fails with a message free of secrets and leaves nothing behind', async () => {
    const path = fixture.path('broken/x.git');
    const url = `http://user:s3cret@${new URL(server.url).host}/acme/missing`;
    const failure = importBare(path, { url }, { timeoutMs: 20_000 });
    await expect(failure).rejects.toMatchObject({ name: 'GitError', retryable: false });
    await expect(failure).rejects.not.toThrow(/s3cret/);
    await expect(resolveRef(path, 'main')).rejects.toThrow(/not a git repository/);
    await expect(importBare(path, { url: 'http://127.0.0.1:1/x' }, { timeoutMs: 20_000 })).rejects.toMatchObject({
      retryable: true,
    });
  });

  test('refuses every protocol but http and https, and does not follow a redirect', async () => {
    for (const url of [
      'file:///etc',
      '/etc',
      'ssh://host/x',
      'git://host/x',
      'ext::sh -c id',
      'host:x',
      '--upload-pack=id',
    ]) {
      await expect(importBare(fixture.path('p/x.git'), { url }, { timeoutMs: 5_000 })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
    const redirecting = await serveFixture(fixture.root, {
      before: (request, response) => {
        response.writeHead(302, { location: `${server.url}${request.url ?? ''}` }).end();
        return true;
      },
    });
    const before = server.requests.length;
    const attempt = importBare(
      fixture.path('p/x.git'),
      { url: `${redirecting.url}/acme/source.git` },
      { timeoutMs: 5_000 },
    );
    await expect(attempt).rejects.toThrow(/redirect|302/i);
    expect(server.requests.length).toBe(before);
    await redirecting.close();
  });

  test('ends when its signal fires or its time is over', async () => {
    let hanging = 0;
    const silent = await serveFixture(fixture.root, { before: () => ++hanging > 0 });
    const controller = new AbortController();
    const attempt = importBare(
      fixture.path('p/y.git'),
      { url: `${silent.url}/a/b` },
      { timeoutMs: 20_000, signal: controller.signal },
    );
    const expectation = expect(attempt).rejects.toThrow('enough');
    await expect.poll(() => hanging).toBe(1);
    controller.abort(new Error('enough'));
    await expectation;
    await expect(
      importBare(fixture.path('p/z.git'), { url: `${silent.url}/a/b` }, { timeoutMs: 200 }),
    ).rejects.toMatchObject({
      retryable: true,
      message: expect.stringContaining('200 ms'),
    });
    await silent.close();
  });
});
