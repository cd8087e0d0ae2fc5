import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { openChangeRequest } from '../../../test/support/change-requests.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';
import { changeRequestsPage, changeRequestsQuery } from './change-request-store.ts';

const org = '/v3/organizations/default';
const path = `${org}/change-requests`;

let api: TestApi;
let ada: GitUser;
let orgId: string;
let userId: string;
const repositories: Record<string, string> = {};
beforeAll(async () => {
  api = await startTestApi();
  ada = await createGitUser();
  const { json } = await api.call('GET', '/v3/self');
  orgId = String(Object(json['organization']).id);
  userId = String(json['principal_id']);
  await repositoryOf('acme/shop', ['one', 'two']);
  await repositoryOf('acme/stock', ['one']);
});
afterAll(async () => {
  await ada.close();
  await api.close();
});

/** Creates a repository with an open change request for each branch. */
async function repositoryOf(repo: string, branches: string[]): Promise<void> {
  const { json } = await api.call('POST', `${org}/repositories`, { body: { provider: 'local', repo } });
  const id = String(json['id']);
  repositories[repo] = id;
  const url = withKey(String(json['clone_url']), api.adminKey);
  const work = await ada.start({ 'a.txt': 'one\n' });
  await ada.git(work, 'push', '-q', url, 'main');
  const base = await ada.git(work, 'rev-parse', 'main');
  for (const branch of branches) {
    await ada.git(work, 'checkout', '-q', '-b', branch, 'main');
    const head = await ada.commit(work, { [branch]: `${branch}\n` }, branch);
    await ada.git(work, 'push', '-q', url, branch);
    await openChangeRequest(api.ctx, {
      orgId,
      repositoryId: id,
      headRef: branch,
      headSha: head,
      baseRef: 'main',
      baseSha: base,
      title: `${repo} ${branch}`,
      body: '',
      draft: false,
      evidence: [],
      author: branch === 'two' ? { type: 'app', id: 'app_x' } : { type: 'user', id: userId },
      sessionId: branch === 'two' ? 'ses_x' : '',
    });
  }
}

async function listed(query = '', key = api.adminKey) {
  const { status, json, text } = await api.call('GET', `${path}${query}`, { key });
  if (status !== 200) throw new Error(text);
  const items: Record<string, unknown>[] = Object(json['items']);
  return { items, titles: items.map(({ title }) => title), total: json['total'], end: String(json['end_cursor']) };
}

test('is newest first over all repositories, each item with its repository and as a read of it answers', async () => {
  const { items, titles, total } = await listed();
  expect([titles, total]).toEqual([['acme/stock one', 'acme/shop two', 'acme/shop one'], 3]);
  for (const item of items) {
    const { repository_id: id, number } = item;
    const one = await api.call('GET', `${org}/repositories/${String(id)}/change-requests/${String(number)}`);
    expect(item).toEqual(one.json);
    expect(item).toMatchObject({ provider: 'local', mergeable: true });
    expect(id).toBe(repositories[String(item['repo'])]);
  }
});

test.each<[string, string[]]>([
  ['?repo=acme/shop', ['acme/shop two', 'acme/shop one']],
  ['?repo=ACME/Stock,local:acme/shop&author=me', ['acme/stock one', 'acme/shop one']],
  ['?repo=github:acme/shop', []],
  ['?repo=acme/none', []],
  ['?session_id=ses_x,ses_y', ['acme/shop two']],
  ['?author=app_x', ['acme/shop two']],
  ['?author=app_x&session_id=ses_y', []],
  ['?state=open', ['acme/stock one', 'acme/shop two', 'acme/shop one']],
  ['?state=merged,closed', []],
])('filters: %s', async (query, expected) => {
  expect((await listed(query)).titles).toEqual(expected);
});

test('pages, with cursors of its own filters only', async () => {
  const first = await listed('?first=2&author=me');
  expect(first.titles).toEqual(['acme/stock one', 'acme/shop one']);
  const page = await listed('?first=1&state=open');
  expect((await listed(`?first=1&state=open&after=${page.end}`)).titles).toEqual(['acme/shop two']);
  for (const query of ['', '?state=closed', '?state=open&author=me', '?state=open&repo=acme/shop']) {
    const { status, json } = await api.call('GET', `${path}${query}${query === '' ? '?' : '&'}after=${page.end}`);
    expect([status, json['error']]).toEqual([400, 'invalid_cursor']);
  }
});

test('a caller sees those of its own organization, and of existing repositories', async () => {
  const other = await api.createOrganization('Other');
  const { json } = await api.call('GET', `/v3/organizations/${other.slug}/change-requests`, { key: other.key });
  expect([json['items'], json['total']]).toEqual([[], 0]);
  await repositoryOf('acme/gone', ['one']);
  await api.call('DELETE', `${org}/repositories/${repositories['acme/gone']}?force=true`);
  expect((await listed()).titles).not.toContain('acme/gone one');
});

test('a repository whose files are away does not hide the others', async () => {
  const files = join(api.ctx.config.repositories, orgId, `${repositories['acme/stock']}.git`);
  await rename(files, `${files}.away`);
  const { items } = await listed();
  await rename(`${files}.away`, files);
  expect(items.map(({ title, mergeable }) => [title, mergeable])).toEqual([
    ['acme/stock one', false],
    ['acme/shop two', true],
    ['acme/shop one', true],
  ]);
});

test('every filter has an index among many change requests', async () => {
  const { kysely, pool } = api.ctx.db;
  await pool.query(
    `insert into change_requests (id, org_id, repository_id, number, title, head_ref, head_sha, base_ref, base_sha,
       author_type, author_id, session_id, state, provider_updated_at)
     select 'cr_0' || lpad(n::text, 8, '0'), $1, $2, n + 1000, 'Many', 'b' || n, '', 'main', '', 'user', 'usr_' || n % 50,
       'ses_' || n, case when n % 100 = 0 then 'closed' else 'merged' end, now()
     from generate_series(1, 50000) as n`,
    [orgId, repositories['acme/shop']],
  );
  await pool.query('analyze change_requests');
  const filters = [
    {},
    { states: ['closed' as const] },
    { authorIds: ['usr_7'] },
    { sessionIds: ['ses_99'] },
    { repositoryIds: [repositories['acme/stock'] ?? ''] },
    { repositoryIds: [] },
  ];
  for (const filter of filters) {
    const { sql, parameters } = listChangeRequestQuery(kysely, filter);
    const plan = await pool.query<{ 'QUERY PLAN': string }>(`explain analyze ${sql}`, [...parameters]);
    const lines = plan.rows.map((row) => row['QUERY PLAN']);
    expect(lines.filter((line) => /Seq Scan on change_requests/.test(line))).toEqual([]);
    const removed = lines.flatMap((line) => /Rows Removed by Filter: (\d+)/.exec(line)?.[1] ?? []);
    expect(removed.every((rows) => Number(rows) < 10_000)).toBe(true);
  }
});

function listChangeRequestQuery(kysely: TestApi['ctx']['db']['kysely'], filter: object) {
  return changeRequestsPage(changeRequestsQuery(kysely, orgId, filter), undefined, 51).compile();
}
