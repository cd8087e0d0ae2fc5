import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';

const views = '/v3/organizations/default/views';

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String(Object((await api.call('GET', '/v3/self')).json['organization']).id);
});
afterAll(() => api.close());

function create(body: object, key = api.adminKey): Promise<Answer> {
  return api.call('POST', views, { key, body });
}

async function names(query = '', key = api.adminKey): Promise<unknown[]> {
  const { json } = await api.call('GET', `${views}${query}`, { key });
  return Object(json['items']).map(({ name }: { name: string }) => name);
}

test('is created, read, listed by its list, and deleted', async () => {
  const query = { status: 'failed', repo: 'acme/shop' };
  const { status, json } = await create({ list: 'sessions', name: 'Failed', query });
  expect([status, json]).toEqual([
    201,
    {
      id: expect.stringMatching(/^view_/),
      list: 'sessions',
      name: 'Failed',
      query,
      created_by: { type: 'user', id: expect.stringMatching(/^usr_/), name: 'Administrator' },
      created_at: expect.stringMatching(/Z$/),
    },
  ]);
  const id = String(json['id']);
  expect((await api.call('GET', `${views}/${id}`)).json).toEqual(json);
  expect((await create({ list: 'change_requests', name: 'Open' })).json['query']).toEqual({});
  expect(await names()).toEqual(['Open', 'Failed']);
  expect(await names('?list=sessions')).toEqual(['Failed']);
  expect((await api.call('GET', `${views}?list=nothing`)).status).toBe(400);
  expect((await api.call('DELETE', `${views}/${id}`, { headers: { 'if-match': '"x"' } })).status).toBe(412);
  expect((await api.call('DELETE', `${views}/${id}`)).status).toBe(204);
  expect((await api.call('DELETE', `${views}/${id}`)).json['error']).toBe('view_not_found');
  expect(await names()).toEqual(['Open']);
});

test('has a name of its own in its list, whatever the case, also for those who ask at once', async () => {
  const answers = await Promise.all(['Mine', 'mine', 'MINE'].map((name) => create({ list: 'sessions', name })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
  expect((await create({ list: 'repositories', name: 'mine' })).status).toBe(201);
});

test.each<[object, string]>([
  [{ list: 'nothing', name: 'x' }, 'body.list'],
  [{ list: 'sessions', name: ' ' }, 'body.name'],
  [{ list: 'sessions', name: 'x', query: { status: 7 } }, 'body.query'],
  [{ list: 'sessions', name: 'x', query: { status: 'y'.repeat(2_001) } }, 'body.query'],
  [
    { list: 'sessions', name: 'x', query: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, ''])) },
    'query',
  ],
])('is refused unless it has the form of one: %j', async (body, words) => {
  const { status, json } = await create(body);
  expect([status, json['error'], String(json['message'])]).toEqual([
    400,
    'invalid_request',
    expect.stringContaining(words),
  ]);
});

test('is there for those who may read its list', async () => {
  await create({ list: 'secrets', name: 'Brokered' });
  const secret = await create({ list: 'secrets', name: 'Tokens' });
  const key = await api.keyWith(['sessions:read', 'run']);
  expect(await names('', key)).not.toContain('Tokens');
  expect(await names('?list=secrets', key)).toEqual([]);
  for (const method of ['GET', 'DELETE'])
    expect((await api.call(method, `${views}/${String(secret.json['id'])}`, { key })).status).toBe(404);
  const refused = await create({ list: 'secrets', name: 'y' }, key);
  expect([refused.status, refused.json['message']]).toEqual([403, expect.stringContaining('secrets:read')]);
});

test('is deleted by its creator or an administrator, and created by no viewer', async () => {
  const [ada, bob, eve] = await Promise.all(
    (['member', 'member', 'viewer'] as const).map(async (permission) =>
      personalKey(api, orgId, await join(api, orgId, permission)),
    ),
  );
  const made = async (key = '') =>
    String((await create({ list: 'sessions', name: `v${Math.random()}` }, key)).json['id']);
  const remove = async (id: string, key = '') => (await api.call('DELETE', `${views}/${id}`, { key })).status;
  const first = await made(ada);
  expect([await remove(first, bob), await remove(first, eve), await remove(first, ada)]).toEqual([403, 403, 204]);
  expect(await remove(await made(bob), api.adminKey)).toBe(204);
  expect((await create({ list: 'sessions', name: 'z' }, eve)).status).toBe(403);
  const lists = (await names('?list=sessions', eve)).map((name) => String(name).toLowerCase());
  expect(lists).toContain('mine');
});
