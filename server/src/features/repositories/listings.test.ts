import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';

const repositories = '/v3/organizations/default/repositories';

let api: TestApi;
let ada: GitUser;
let id: string;
let commits: string[];
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/shop' } });
  id = String(json['id']);
  const url = withKey(String(json['clone_url']), api.adminKey);
  const work = await ada.start({ 'src/invoices.ts': 'x\n', 'invoices/readme.md': 'x\n', 'a.txt': 'x\n' });
  const first = await ada.git(work, 'rev-parse', 'main');
  await ada.git(work, 'checkout', '-q', '-b', 'feature/due-date');
  const second = await ada.commit(work, { 'src/due-date.ts': 'x\n' }, 'Due date');
  await ada.git(work, 'tag', 'v1', first);
  await ada.git(work, 'push', '-q', url, 'main', 'feature/due-date', 'v1');
  commits = [first, second];
});
afterAll(async () => {
  await ada.close();
  await api.close();
});

async function read(path: string, of = id) {
  const { status, json } = await api.call('GET', `${repositories}/${of}${path}`);
  const items: Record<string, unknown>[] = Object(json['items'] ?? []);
  return { status, json, items, paths: items.map(({ path: found }) => found), end: String(json['end_cursor']) };
}

describe('branches', () => {
  test('are listed by name with their commit, and the default one is marked', async () => {
    expect((await read('/branches')).json).toEqual({
      items: [
        { name: 'feature/due-date', commit: commits[1], is_default: false },
        { name: 'main', commit: commits[0], is_default: true },
      ],
      end_cursor: expect.any(String),
      has_next_page: false,
      total: 2,
    });
  });

  test('are found by a part of the name, and listed by pages', async () => {
    expect((await read('/branches?search=DUE')).items).toMatchObject([{ name: 'feature/due-date' }]);
    expect((await read('/branches?search=--help')).items).toEqual([]);
    const page = await read('/branches?first=1');
    expect(page.json).toMatchObject({ has_next_page: true, total: 2 });
    expect((await read(`/branches?first=1&after=${page.end}`)).items).toMatchObject([{ name: 'main' }]);
    expect((await read(`/branches?search=m&after=${page.end}`)).json['error']).toBe('invalid_cursor');
  });
});

describe('files', () => {
  test('are those of the default branch, or of a branch, tag or commit', async () => {
    const main = ['a.txt', 'invoices/readme.md', 'src/invoices.ts'];
    expect((await read('/files')).json).toMatchObject({ items: main.map((path) => ({ path })), total: 3 });
    for (const ref of ['main', 'v1', commits[0]]) expect((await read(`/files?ref=${ref}`)).paths).toEqual(main);
    expect((await read('/files?ref=feature/due-date&q=due')).paths).toEqual(['src/due-date.ts']);
  });

  test('whose name matches come first', async () => {
    expect((await read('/files?q=Invoices')).paths).toEqual(['src/invoices.ts', 'invoices/readme.md']);
  });

  test('are listed by pages of one commit', async () => {
    const page = await read('/files?first=2&ref=main');
    const next = await read(`/files?first=2&ref=main&after=${page.end}`);
    expect([page.json['has_next_page'], next.json['has_next_page'], next.paths]).toEqual([
      true,
      false,
      ['src/invoices.ts'],
    ]);
    expect((await read(`/files?ref=v1&after=${page.end}`)).json['error']).toBe('invalid_cursor');
  });

  test.each([
    '--help',
    '--output=/tmp/x',
    'main~1',
    '@{-1}',
    'HEAD',
    'refs/../x',
    ':/x',
    'none',
    '%0a',
    'a'.repeat(240),
  ])('a ref that is an option, an expression or not there is refused: %s', async (ref) => {
    const { status, json } = await read(`/files?ref=${ref}`);
    expect([status, json['error'], String(json['message'])]).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('query.ref'),
    ]);
  });

  test('an empty repository has none, and no branches', async () => {
    const { json } = await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/empty' } });
    for (const path of ['/files', '/branches'])
      expect((await read(path, String(json['id']))).json).toEqual({
        items: [],
        end_cursor: '',
        has_next_page: false,
        total: 0,
      });
  });
});
