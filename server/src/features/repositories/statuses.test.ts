import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey } from '../../../test/support/git.ts';

let api: TestApi;
let id: string;
let sha: string;
const path = () => `/v3/organizations/default/repositories/${id}/statuses`;
beforeAll(async () => {
  api = await startTestApi();
  const ada = await createGitUser();
  const body = { provider: 'local', repo: 'acme/checked' };
  const { json } = await api.call('POST', '/v3/organizations/default/repositories', { body });
  id = String(json['id']);
  const work = await ada.start({ 'a.txt': 'one\n' });
  await ada.git(work, 'push', '-q', withKey(String(json['clone_url']), api.adminKey), 'main');
  sha = await ada.git(work, 'rev-parse', 'HEAD');
  await ada.close();
});
afterAll(() => api.close());

const set = (body: object, key = api.adminKey) => api.call('POST', path(), { key, body: { sha, ...body } });
const list = async (of = sha) => (await api.call('GET', `${path()}?sha=${of}`)).json;

test('a later status with the name of an earlier one replaces it, and both are on record', async () => {
  const key = await api.keyWith(['repos:write']);
  const first = await set({ name: 'ci/test', state: 'pending' }, key);
  expect(first).toMatchObject({
    status: 201,
    json: { sha, name: 'ci/test', state: 'pending', description: '', url: '', author: { type: 'service_user' } },
  });
  const change = { name: 'ci/test', state: 'failure', description: '2 failed', url: 'https://ci.example/1' };
  expect((await set(change, key)).json).toMatchObject({ ...change, id: first.json['id'] });
  expect((await set(change, key)).status).toBe(201);
  expect(await list()).toMatchObject({ items: [change], total: 1 });
  expect(await list('0'.repeat(40))).toMatchObject({ items: [], total: 0 });
  const { rows } = await api.ctx.db.pool.query(
    `select changes ->> 'state' as state from audit_entries where action = 'commit_status.set' order by created_at`,
  );
  expect(rows.map(({ state }) => state)).toEqual(['pending', 'failure']);
  const { json } = await api.call('GET', '/v3/organizations/default/audit-logs?action=commit_status.set');
  expect(json).toMatchObject({ items: { length: 2 } });
});

test.each([
  [{ name: 'ci', state: 'green' }, 400],
  [{ name: '', state: 'success' }, 400],
  [{ name: 'n'.repeat(201), state: 'success' }, 400],
  [{ name: 'ci', state: 'success', description: 'd'.repeat(1_001) }, 400],
  [{ name: 'ci', state: 'success', url: 'javascript:alert(1)' }, 400],
  [{ name: 'ci', state: 'success', sha: 'main' }, 400],
  [{ name: 'ci', state: 'success', sha: '1'.repeat(40) }, 404],
])('%j is refused with %i', async (body, status) => {
  const before = await list();
  expect((await set(body)).status).toBe(status);
  expect(await list()).toEqual(before);
});

test('a commit has at most 1,000 statuses, which can still change', async () => {
  await api.ctx.db.pool.query(
    `insert into commit_statuses (id, org_id, repository_id, sha, name, state, description, url, author_type, author_id,
       created_at, updated_at)
     select 'cst_' || n, org_id, id, $2, 'many/' || n, 'success', '', '', 'system', '', now(), now()
     from repositories, generate_series(1, 999) n where id = $1`,
    [id, sha],
  );
  expect((await set({ name: 'another', state: 'success' })).json).toMatchObject({
    error: 'conflict',
    message: expect.stringContaining('at most 1000 statuses'),
  });
  expect((await set({ name: 'many/7', state: 'failure' })).json).toMatchObject({ state: 'failure' });
});

test('a repository of another organization does not exist', async () => {
  const other = await api.createOrganization('Other');
  const foreign = { key: other.key };
  const there = path().replace('/default/', `/${other.slug}/`);
  expect((await api.call('GET', `${there}?sha=${sha}`, foreign)).json).toMatchObject({
    error: 'repository_not_found',
  });
  const body = { sha, name: 'ci', state: 'success' };
  expect((await api.call('POST', there, { ...foreign, body })).json).toMatchObject({
    error: 'repository_not_found',
  });
});

test('what the platform sets and says is its own, and outlives no repository', async () => {
  const { rows } = await api.ctx.db.pool.query('select org_id, connection_id from repositories where id = $1', [id]);
  const ref = { orgId: String(rows[0]?.['org_id']), connectionId: String(rows[0]?.['connection_id']), id, repo: '' };
  const source = api.ctx.sourceControl.of('local');
  const status = { name: 'guildhall/review', state: 'neutral', description: '', url: '' } as const;
  const commit = '2'.repeat(40);
  await source.setStatus?.(ref, commit, status);
  expect(await list(commit)).toMatchObject({ items: [{ author: { type: 'system', id: '' }, state: 'neutral' }] });
  await expect(source.setStatus?.({ ...ref, orgId: 'org_other' }, commit, status)).rejects.toThrow();
  expect(await source.checks?.({ ...ref, orgId: 'org_other' }, commit)).toEqual([]);
});
