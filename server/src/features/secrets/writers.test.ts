import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { secretsForSession, type SecretOrigin } from './public.ts';

const organization = '/v3/organizations/default';
const path = `${organization}/secrets`;

let api: TestApi;
let orgId: string;
let ada: string;
let mallory: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', organization)).json['id']);
  await api.call('POST', `${organization}/repositories`, { body: { provider: 'local', repo: 'acme/web' } });
  const member = async (email: string) => personalKey(api, orgId, await join(api, orgId, 'member', email));
  [ada, mallory] = [await member('ada@example.com'), await member('mallory@example.com')];
});
afterAll(() => api.close());
beforeEach(async () => {
  await api.ctx.db.pool.query('delete from secrets');
});

async function secret(body: object, key = mallory): Promise<string> {
  const { status, json, text } = await api.call('POST', path, { key, body: { key: 'SHARED', value: 'v', ...body } });
  if (status !== 201) throw new Error(text);
  return String(json['id']);
}

function own(): Promise<string> {
  return secret({ key: 'MINE', value: 'of-ada', scope: 'user' }, ada);
}

async function change(method: 'PUT' | 'PATCH', id: string, body: object, key: string): Promise<void> {
  const { status, text } = await api.call(method, `${path}/${id}`, { key, body });
  if (status !== 200) throw new Error(text);
}

function ask(body: object = {}, key = ada): Promise<Answer> {
  return api.call('POST', `${organization}/sessions`, { key, body: { prompt: 'work', ...body } });
}

async function session(body: object = {}, key = ada): Promise<string> {
  const { status, json, text } = await ask(body, key);
  if (status !== 201) throw new Error(text);
  return String(json['id']);
}

/** Returns the secrets in the agent's sandbox, or in that of checks, by key. */
async function given(id: string, room: 'agent' | 'checks' = 'agent', origin: SecretOrigin = '') {
  const secrets = await secretsForSession(api.ctx, { id, orgId }, origin);
  const there = secrets.filter(({ sandboxes }) => sandboxes === 'all' || sandboxes === room);
  return Object.fromEntries(there.map(({ key, value }) => [key, value]));
}

describe("beside a session's creator's own secrets", () => {
  test('are those that the creator or an administrator wrote, in all scopes, and none of another member', async () => {
    await own();
    await secret({ key: 'BY_ADA' }, ada);
    await secret({ key: 'BY_ADMINISTRATOR' }, api.adminKey);
    await secret({ key: 'BY_MACHINE' }, await api.keyWith(['secrets:write']));
    await secret({ key: 'BY_MALLORY' });
    await secret({ key: 'OF_REPOSITORY', scope: 'repository', repo: 'acme/web' });
    const id = await session({ repositories: [{ repo: 'acme/web' }] });
    expect(Object.keys(await given(id)).toSorted()).toEqual(['BY_ADA', 'BY_ADMINISTRATOR', 'MINE']);
    const all = ['BY_ADA', 'BY_ADMINISTRATOR', 'BY_MACHINE', 'BY_MALLORY', 'OF_REPOSITORY'];
    expect(Object.keys(await given(id, 'checks')).toSorted()).toEqual(all);
    expect(Object.keys(await given(id, 'agent', 'others')).toSorted()).toEqual(all);
  });

  test('a secret of another member hides none of its key that would be there without it', async () => {
    await own();
    await secret({ value: 'of-the-organization' }, api.adminKey);
    await secret({ value: 'of-mallory', scope: 'repository', repo: 'acme/web' });
    const id = await session({ repositories: [{ repo: 'acme/web' }] });
    expect(await given(id)).toEqual({ MINE: 'of-ada', SHARED: 'of-the-organization' });
    expect(await given(id, 'checks')).toEqual({ SHARED: 'of-mallory' });
    expect(await given(await session({ repositories: [{ repo: 'acme/web' }] }, mallory))).toEqual({
      SHARED: 'of-mallory',
    });
  });

  test('an own one goes before one of its key, which checks have', async () => {
    await secret({ key: 'MINE', value: 'of-mallory' });
    await own();
    const id = await session();
    expect([await given(id), await given(id, 'checks')]).toEqual([{ MINE: 'of-ada' }, { MINE: 'of-mallory' }]);
  });

  test('and after them, none of another member, though the own ones are deleted', async () => {
    const mine = await own();
    await secret({});
    const id = await session();
    await given(id);
    await api.call('DELETE', `${path}/${mine}`, { key: ada });
    expect(await given(id, 'agent', 'own')).toEqual({});
    expect(await given(id, 'checks', 'own')).toEqual({ SHARED: 'v' });
  });
});

describe('who answers for a secret', () => {
  const isLeftOut = async () => !('SHARED' in (await given(await session())));

  test.each<[string, boolean, (id: string) => Promise<void>]>([
    ['whoever set its value', true, (id) => change('PUT', id, { value: 'w' }, mallory)],
    ['whoever made a file of it', true, (id) => change('PATCH', id, { kind: 'file' }, mallory)],
    [
      'whoever leads it elsewhere',
      true,
      (id) => change('PATCH', id, { exposure: 'broker', allowed_hosts: ['spy.example.com'] }, mallory),
    ],
    ['nobody who changes its note', false, (id) => change('PATCH', id, { note: 'n' }, mallory)],
    ['nobody who sends it again as it is', false, (id) => change('PATCH', id, { kind: 'env' }, mallory)],
  ])('%s', async (_who, leftOut, write) => {
    await own();
    const id = await secret({}, api.adminKey);
    expect(await isLeftOut()).toBe(false);
    await write(id);
    expect(await isLeftOut()).toBe(leftOut);
  });

  test('is an administrator for the value and for what it is for, each where they name it whole', async () => {
    await own();
    const traits = { exposure: 'broker', allowed_hosts: ['api.example.com'] };
    const id = await secret(traits);
    const steps: [boolean, 'PUT' | 'PATCH', object][] = [
      [true, 'PATCH', { kind: 'env', ...traits }],
      [false, 'PUT', { value: 'by an administrator' }],
    ];
    for (const [leftOut, method, body] of steps) {
      await change(method, id, body, api.adminKey);
      expect(await isLeftOut()).toBe(leftOut);
    }
    await change('PATCH', id, { allowed_hosts: ['spy.example.com'] }, mallory);
    await change('PATCH', id, { allowed_hosts: ['api.example.com'] }, api.adminKey);
    expect(await isLeftOut()).toBe(true);
    await change('PATCH', id, { kind: 'env', ...traits }, api.adminKey);
    expect(await isLeftOut()).toBe(false);
  });

  test('is not an administrator whose key does not have org:write', async () => {
    await own();
    await secret({}, await api.keyWith(['secrets:write', 'secrets:read']));
    expect(await isLeftOut()).toBe(true);
  });

  test('is told to nobody', async () => {
    const id = await secret({});
    const shown = await api.call('GET', path);
    expect(shown.text).toContain(id);
    expect(shown.text).not.toContain('written_by');
  });
});

describe('a session that names', () => {
  test("its creator's own secret and one that another member wrote is refused with both names", async () => {
    const [mine, theirs] = [await own(), await secret({})];
    const refused = await ask({ secret_ids: [mine, theirs] });
    expect([refused.status, refused.json['error']]).toEqual([400, 'invalid_request']);
    expect(refused.json['message']).toMatch(/body\.secret_ids: .*SHARED.*MINE/);
    for (const secret_ids of [[mine], [theirs], [], null]) expect((await ask({ secret_ids })).status).toBe(201);
    await change('PUT', theirs, { value: 'v' }, api.adminKey);
    await change('PATCH', theirs, { kind: 'env', exposure: 'sandbox' }, api.adminKey);
    expect((await ask({ secret_ids: [mine, theirs] })).status).toBe(201);
  });

  test('an own secret and one of the same name, which only checks get, is taken', async () => {
    const [mine, theirs] = [await own(), await secret({ key: 'MINE' })];
    expect((await ask({ secret_ids: [mine, theirs] })).status).toBe(201);
  });
});
