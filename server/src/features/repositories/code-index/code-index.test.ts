import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { openChangeRequest } from '../../../../test/support/change-requests.ts';
import { createGitUser, withKey, type GitUser } from '../../../../test/support/git.ts';
import { startIndexing } from './jobs.ts';
import { branchMoved } from './queue-service.ts';

const within = { timeout: 60_000, interval: 100 };
const repositories = '/v3/organizations/default/repositories';
let api: TestApi;
let ada: GitUser;

beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  startIndexing(api.ctx);
});
afterAll(async () => {
  await ada.close();
  await api.close();
});

async function host(repo: string, files: Record<string, string>) {
  const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo } });
  const url = withKey(String(json['clone_url']), api.adminKey);
  const work = await ada.start(files);
  await ada.git(work, 'push', '-q', url, 'main');
  const path = `${repositories}/${String(json['id'])}`;
  const index = async () => (await api.call('GET', `${path}/index`)).json;
  return {
    id: String(json['id']),
    url,
    work,
    path,
    index,
    head: () => ada.git(work, 'rev-parse', 'HEAD'),
    async push(changed: Record<string, string>) {
      await ada.commit(work, changed);
      await ada.git(work, 'push', '-q', url, 'main');
    },
    async ready(commit: string) {
      await expect
        .poll(async () => `${String((await index())['state'])} ${String((await index())['commit'])}`, within)
        .toBe(`ready ${commit}`);
    },
    async search(kind: string, q: string) {
      const { status, json: found } = await api.call('GET', `${path}/search?kind=${kind}&q=${encodeURIComponent(q)}`);
      expect(status, JSON.stringify(found)).toBe(200);
      return found;
    },
  };
}

test('an index answers for text, symbols and paths, and a push changes what it changed', async () => {
  const repository = await host('acme/found', {
    'src/cart.ts': 'export class Cart {\n  addItem(id: string) {\n    return id;\n  }\n}\n',
    'src/tool.py': 'def add_item(x):\n    return x\n',
    'README.md': 'Needle in a haystack\n',
  });
  expect(await repository.search('path', 'CART')).toMatchObject({ items: [{ path: 'src/cart.ts', line: 0 }] });
  expect((await api.call('GET', `${repository.path}/search?kind=symbol&q=Cart`)).status).toBe(409);
  const put = await api.call('PUT', `${repository.path}/index`);
  expect(put.status).toBe(202);
  // The job may have begun before the answer was read.
  expect(['queued', 'indexing']).toContain(put.json['state']);
  const first = await repository.head();
  await repository.ready(first);
  expect(await repository.index()).toMatchObject({
    files: 2,
    symbols: 3,
    error: '',
    progress: { parsed: 2, total: 2 },
  });
  // The push may be told of only now.
  await branchMoved(api.ctx, String((await api.call('GET', '/v3/organizations/default')).json['id']), repository.id);
  await repository.ready(first);
  expect(await repository.index()).toMatchObject({ files: 2, symbols: 3, progress: { parsed: 2, total: 2 } });
  expect(await repository.search('symbol', 'additem')).toEqual({
    commit: first,
    items: [
      {
        path: 'src/cart.ts',
        line: 2,
        text: 'addItem(id: string) {',
        symbol: { name: 'addItem', kind: 'method', container: 'Cart', end_line: 4 },
      },
    ],
    has_more: false,
  });
  expect(await repository.search('symbol', 'Cart.add')).toMatchObject({ items: [{ line: 2 }] });
  expect(await repository.search('symbol', 'item')).toMatchObject({
    items: [{ line: 2 }, { path: 'src/tool.py', line: 1 }],
  });
  expect(await repository.search('symbol', '%')).toMatchObject({ items: [] });

  await repository.push({
    'src/cart.ts': 'export class Basket {}\n',
    'src/copy.py': 'def add_item(x):\n    return x\n',
  });
  await repository.ready(await repository.head());
  expect(await repository.index()).toMatchObject({ files: 3, symbols: 3, progress: { parsed: 1, total: 1 } });
  expect(await repository.search('symbol', 'cart')).toMatchObject({ items: [] });
  expect(await repository.search('symbol', 'add_item')).toMatchObject({
    items: [{ path: 'src/copy.py' }, { path: 'src/tool.py' }],
  });
});

test('an index follows the default branch, and a push to another branch leaves it alone', async () => {
  const repository = await host('acme/branches', { 'a.py': 'def on_main():\n    pass\n' });
  await api.call('PUT', `${repository.path}/index`);
  const main = await repository.head();
  await repository.ready(main);
  const { indexed_at: indexedAt } = await repository.index();
  await ada.git(repository.work, 'switch', '-q', '-c', 'next');
  await ada.commit(repository.work, { 'a.py': 'def on_next():\n    pass\n' });
  await ada.git(repository.work, 'push', '-q', repository.url, 'next');
  expect(await repository.index()).toMatchObject({ state: 'ready', commit: main, indexed_at: indexedAt });
  await api.call('PATCH', repository.path, { body: { default_branch: 'next' } });
  await repository.ready(await repository.head());
  expect(await repository.search('symbol', 'on_')).toMatchObject({ items: [{ text: 'def on_next():' }] });
});

test('text is found as it stands: case counts if there is an upper-case letter, and nothing is a pattern or an option', async () => {
  const repository = await host('acme/text', {
    'a.txt': 'Needle a.c\n  needle abc --all\n',
    'b.bin': 'needle\0\n',
    'two\nlines.txt': 'a needle\n',
    'z.txt': 'needle\n',
  });
  const lines = async (q: string) => (await repository.search('text', q))['items'];
  expect(await lines('needle')).toMatchObject([
    { path: 'a.txt', line: 1, text: 'Needle a.c' },
    { path: 'a.txt', line: 2, text: 'needle abc --all' },
    { path: 'two\nlines.txt', line: 1, text: 'a needle' },
    { path: 'z.txt', line: 1, text: 'needle' },
  ]);
  expect(await lines('Needle')).toMatchObject([{ line: 1 }]);
  expect(await lines('a.c')).toMatchObject([{ line: 1 }]);
  expect(await lines('--all')).toMatchObject([{ line: 2 }]);
  expect(await lines('nowhere')).toEqual([]);
  expect((await api.call('GET', `${repository.path}/search?q=${encodeURIComponent('a\nb')}`)).status).toBe(400);
  const { json } = await api.call('GET', `${repository.path}/search?q=needle&first=1`);
  expect(json).toMatchObject({ items: [{ line: 1 }], has_more: true });
});

test('files that a parser should not see are counted by their reason, and one that breaks it costs no other', async () => {
  const repository = await host('acme/hostile', {
    'deep.ts': '('.repeat(900_000).replaceAll(/(.{9999})/g, '$1\n'),
    'line.ts': `const a = '${'x'.repeat(3_000_000)}';\n`,
    'binary.ts': 'class Hidden {}\0',
    'min.ts': `class Minified {${' '.repeat(25_000)}}`,
    'api.pb.go': 'package a\nfunc Generated() {}\n',
    'marked.go': '// Code generated by x. DO NOT EDIT.\nfunc Marked() {}\n',
    'node_modules/a/index.js': 'function vendored() {}\n',
    'quoted.py': `def quoted():\n    """${String.raw`\u0000`} \u{1f600}"""\n`,
    'z.ts': 'export function last() {}\n',
  });
  await api.call('PUT', `${repository.path}/index`);
  await repository.ready(await repository.head());
  expect(await repository.index()).toMatchObject({
    files: 2,
    symbols: 2,
    skipped: { too_large: 1, binary: 1, generated: 3, vendored: 1, failed: 1 },
  });
  expect(await repository.search('symbol', 'last')).toMatchObject({ items: [{ path: 'z.ts', line: 1 }] });
  expect(await repository.search('symbol', 'vendored')).toMatchObject({ items: [] });
  expect(await repository.search('text', "const a = 'x")).toMatchObject({ items: [] });
});

test('a repository without its default branch fails with the remedy, and follows the first push', async () => {
  const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/empty' } });
  const path = `${repositories}/${String(json['id'])}`;
  await api.call('PUT', `${path}/index`);
  await expect
    .poll(async () => (await api.call('GET', path)).json['index'], within)
    .toMatchObject({ state: 'failed', error: 'The repository has no branch "main". Push it first.' });
  const work = await ada.start({ 'a.py': 'def first():\n    pass\n' });
  await ada.git(work, 'push', '-q', withKey(String(json['clone_url']), api.adminKey), 'main');
  await expect
    .poll(async () => (await api.call('GET', path)).json['index'], within)
    .toMatchObject({
      state: 'ready',
      commit: await ada.git(work, 'rev-parse', 'HEAD'),
      error: '',
    });
});

test('a deleted index is gone, and a push does not make it again', async () => {
  const repository = await host('acme/dropped', { 'a.py': 'def first():\n    pass\n' });
  await api.call('PUT', `${repository.path}/index`);
  await repository.ready(await repository.head());
  expect((await api.call('DELETE', `${repository.path}/index`)).status).toBe(204);
  await repository.push({ 'b.py': 'def second():\n    pass\n' });
  expect(await repository.index()).toMatchObject({ state: 'none', commit: '', indexed_at: null, files: 0, symbols: 0 });
  expect(await repository.search('text', 'second')).toMatchObject({ items: [{ path: 'b.py' }] });
});

test('a merge updates the index', async () => {
  const { id, path, url, work, ready } = await host('acme/merged', { 'a.py': 'def first():\n    pass\n' });
  await api.call('PUT', `${path}/index`);
  const base = await ada.git(work, 'rev-parse', 'HEAD');
  await ready(base);
  await ada.git(work, 'checkout', '-q', '-b', 'topic');
  const headSha = await ada.commit(work, { 'b.py': 'def second():\n    pass\n' });
  await ada.git(work, 'push', '-q', url, 'topic');
  const { organization, principal_id: user } = (await api.call('GET', '/v3/self')).json;
  const { number } = await openChangeRequest(api.ctx, {
    orgId: String(Object(organization).id),
    repositoryId: id,
    headRef: 'topic',
    headSha,
    baseRef: 'main',
    baseSha: base,
    title: 'Second',
    body: '',
    draft: false,
    evidence: [],
    author: { type: 'user', id: String(user) },
    sessionId: '',
  });
  const merged = await api.call('POST', `${path}/change-requests/${number}/merge`, { body: {} });
  expect(merged.status, merged.text).toBe(200);
  await ready(await ada.git(work, 'ls-remote', url, 'refs/heads/main').then((line) => line.slice(0, 40)));
});
