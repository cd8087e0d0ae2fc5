import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../../test/support/api.ts';

const organization = '/v3/organizations/default';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterEach(async () => {
  for (const namespace of ['run_tags', 'sessions', 'source_control'])
    await api.call('DELETE', `${organization}/settings/${namespace}`);
});
afterAll(() => api.close());

async function set(namespace: string, body: object): Promise<void> {
  const answer = await api.call('PUT', `${organization}/settings/${namespace}`, { body });
  if (answer.status !== 200) throw new Error(answer.text);
}

function create(body: object = {}): Promise<Answer> {
  return api.call('POST', `${organization}/sessions`, { body: { prompt: 'Do it.', repositories: [], ...body } });
}

function patch(session: Answer, body: object): Promise<Answer> {
  return api.call('PATCH', `${organization}/sessions/${String(session.json['id'])}`, { body });
}

async function warnings(session: Answer): Promise<unknown[]> {
  const { json } = await api.call('GET', `${organization}/sessions/${String(session.json['id'])}/events`);
  const events: { kind: string; data: unknown }[] = Object(json['items']);
  return events.filter(({ kind }) => kind === 'warning').map(({ data }) => data);
}

describe('run_tags', () => {
  test.each([
    [['team-a'], ['team-a'], ''],
    [['team-a'], ['team-b'], '"team-b"'],
    [['team-a'], ['Team-a'], '"Team-a"'],
    [['team-a'], ['team-a', 'x'], '"x"'],
    [['team-*'], ['team-', 'team-a/b'], ''],
    [['team-*'], ['steam-a'], '"steam-a"'],
    [['a*b*c'], ['abc', 'a1b2c'], ''],
    [['a*b*c'], ['acb'], '"acb"'],
    [['a*a'], ['a'], '"a"'],
    [['*'], ['anything'], ''],
    [['.'], ['x'], '"x"'],
    [[], ['anything'], ''],
  ])('with %j allowed, %j is told of %j', async (allowed, tags, named) => {
    await set('run_tags', { allowed });
    const answer = await create({ tags });
    if (named === '') return expect([answer.status, answer.json['tags']]).toEqual([201, tags]);
    expect([answer.status, answer.json['error']]).toEqual([400, 'tag_not_allowed']);
    for (const text of [named, ...allowed]) expect(answer.json['message']).toContain(text);
    const issues = [{ in: 'body', path: ['tags'], code: 'value_error', message: expect.any(String) }];
    expect(answer.json['details']).toEqual({ allowed, required_any: [], issues });
  });

  test('at least one of those that are required is, also of a session without tags', async () => {
    await set('run_tags', { required_any: ['cost-*', 'free'] });
    expect((await create({ tags: ['x', 'cost-1'] })).status).toBe(201);
    for (const tags of [['x'], []]) {
      const { status, json } = await create({ tags });
      expect([status, json['error']]).toEqual([400, 'tag_not_allowed']);
      expect(json['message']).toContain('cost-*');
    }
    expect((await create()).json['error']).toBe('tag_not_allowed');
  });

  test('the default is for a session without tags, and none other', async () => {
    await set('run_tags', { default: ['free', 'x'], required_any: ['free'] });
    for (const body of [{}, { tags: [] }]) expect((await create(body)).json['tags']).toEqual(['free', 'x']);
    expect((await create({ tags: ['free'] })).json['tags']).toEqual(['free']);
  });

  test('a policy that is not enforced warns in the log of the session', async () => {
    await set('run_tags', { allowed: ['a'], enforce: false });
    const session = await create({ tags: ['b'] });
    expect([session.status, session.json['tags']]).toEqual([201, ['b']]);
    const warning = { code: 'tag_not_allowed', message: expect.stringContaining('"b"') };
    expect(await warnings(session)).toEqual([warning]);
    expect(await warnings(await create({ tags: ['a'] }))).toEqual([]);
    expect((await patch(session, { tags: ['c'] })).status).toBe(200);
    expect(await warnings(session)).toEqual([
      warning,
      { code: 'tag_not_allowed', message: expect.stringContaining('"c"') },
    ]);
  });

  test('it holds for a change of tags, and for nothing else of a session', async () => {
    const session = await create({ tags: ['b'] });
    await set('run_tags', { allowed: ['a'], required_any: ['a'] });
    expect((await patch(session, { title: 'x' })).status).toBe(200);
    for (const tags of [['b'], []]) {
      const { status, json } = await patch(session, { tags });
      expect([status, json['error']]).toEqual([400, 'tag_not_allowed']);
    }
    expect((await patch(session, { tags: ['a'] })).json['tags']).toEqual(['a']);
  });

  test.each([
    [{ allowed: ['a'], default: ['b'] }],
    [{ required_any: ['a'], default: ['b'] }],
    [{ default: Array.from({ length: 51 }, (_, index) => `t${index}`) }],
  ])('%j is refused: its own default would be', async (body) => {
    const { status, json } = await api.call('PUT', `${organization}/settings/run_tags`, { body });
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    expect(json['message']).toContain('body.default');
  });
});

describe('sessions', () => {
  test('the default agent does what nobody named an agent for', async () => {
    const agent = await api.call('POST', '/agents', { body: { name: 'ours' } });
    const id = String(agent.json['id']);
    await set('sessions', { default_agent: id });
    expect((await create()).json['agent_id']).toBe(id);
    const builtin = Object((await api.call('GET', '/agents')).json['items']).at(-1).id;
    expect((await create({ agent_id: builtin })).json['agent_id']).toBe(builtin);
    expect((await create({ agent_id: 'agt_none' })).json['error']).toBe('agent_not_found');
    await api.call('DELETE', `/agents/${id}`);
    expect((await create()).json['agent_id']).toBe(builtin);
    // Other keys can still be changed.
    await set('sessions', { default_agent: id, max_minutes: 0 });
    const put = { body: { default_agent: 'agt_none' } };
    expect((await api.call('PUT', `${organization}/settings/sessions`, put)).status).toBe(400);
  });

  test("an agent that is none of the organization's cannot be the default", async () => {
    const other = await api.createOrganization('Elsewhere');
    const theirs = await api.call('POST', '/agents', { key: other.key, body: { name: 'theirs' } });
    for (const default_agent of ['agt_none', theirs.json['id']]) {
      const { status, json } = await api.call('PUT', `${organization}/settings/sessions`, { body: { default_agent } });
      expect([status, json['error']]).toEqual([400, 'invalid_request']);
      expect(json['message']).toContain('body.default_agent');
    }
  });

  test('max_minutes is the default and the most of a budget, at creation and later', async () => {
    await set('sessions', { max_minutes: 30 });
    const session = await create();
    expect(session.json['budget']).toEqual({ max_minutes: 30 });
    expect((await create({ budget: { max_minutes: 31, max_turns: 2 } })).json['budget']).toEqual({
      max_minutes: 30,
      max_turns: 2,
    });
    expect((await create({ budget: { max_minutes: 0.5 } })).json['budget']).toEqual({ max_minutes: 0.5 });
    expect((await patch(session, { budget: { max_tokens: 9 } })).json['budget']).toEqual({
      max_minutes: 30,
      max_tokens: 9,
    });
    expect((await patch(session, { budget: { max_minutes: 600 } })).json['budget']).toEqual({ max_minutes: 30 });
    await set('sessions', { max_minutes: 0 });
    expect((await create()).json['budget']).toEqual({});
  });

  test('memory_default is for a session that does not say', async () => {
    expect((await create()).json['memory_enabled']).toBe(true);
    await set('sessions', { memory_default: false });
    expect((await create()).json['memory_enabled']).toBe(false);
    expect((await create({ memory_enabled: true })).json['memory_enabled']).toBe(true);
  });
});

test('source_control.draft_by_default is for a session that does not say, and has a repository', async () => {
  await api.call('POST', `${organization}/repositories`, { body: { provider: 'local', repo: 'acme/drafts' } });
  const repositories = [{ repo: 'acme/drafts' }];
  expect((await create({ repositories })).json['deliver']).toBe('change_request');
  await set('source_control', { draft_by_default: true });
  expect((await create({ repositories })).json['deliver']).toBe('draft');
  expect((await create({ repositories, deliver: 'change_request' })).json['deliver']).toBe('change_request');
  expect((await create()).json['deliver']).toBe('none');
  expect((await create({ deliver: 'none' })).status).toBe(201);
  const without = await create({ repositories: [], deliver: 'branch' });
  expect([without.status, without.json['message']]).toEqual([400, expect.stringMatching(/^body\.deliver must not be/)]);
});

test("another organization's settings are not mine", async () => {
  const other = await api.createOrganization('Apart');
  const body = { allowed: ['only'] };
  await api.call('PUT', `/v3/organizations/${other.slug}/settings/run_tags`, { key: other.key, body });
  expect((await create({ tags: ['mine'] })).status).toBe(201);
});
