import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../../test/support/api.ts';
import { join, personalKey } from '../../../../test/support/members.ts';
import { newId } from '../../../lib/ids.ts';
import { modelsOf } from '../../models/service.ts';
import { refusalOf } from './model-choice-service.ts';

const organization = '/v3/organizations/default';
const sonnet = 'anthropic/claude-sonnet-5';

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi({ ANTHROPIC_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
  orgId = String((await api.call('GET', organization)).json['id']);
});
afterAll(() => api.close());
beforeEach(() => api.call('DELETE', `${organization}/settings/models`));

const ours = { name: 'ours', kind: 'openai_compatible', base_url: 'https://models.example/v1', secret: '' };

async function put(value: object): Promise<void> {
  const answer = await api.call('PUT', `${organization}/settings/models`, { body: value });
  expect(answer.text).toContain('"namespace":"models"');
}

function start(body: object, options: { key?: string; on?: TestApi } = {}): Promise<Answer> {
  const { on = api, key = api.adminKey } = options;
  return on.call('POST', `${organization}/sessions`, { key, body: { prompt: 'Work.', ...body } });
}

async function agentWith(fields: object): Promise<string> {
  const { json, text } = await api.call('POST', '/agents', { body: { name: 'mine', ...fields } });
  expect(text).toContain('"id":"agt_');
  return String(json['id']);
}

const outcomeOf = ({ status, json }: Answer) => [status, json['error'] ?? json['model']];

describe('the model of a new session', () => {
  test.each<[string, object, string, string]>([
    ["the operator's default", {}, '', sonnet],
    [
      "the organization's default before it",
      { default: 'anthropic/claude-haiku-4-5' },
      '',
      'anthropic/claude-haiku-4-5',
    ],
    ['a name alone of the first provider', {}, 'claude-opus-5', 'anthropic/claude-opus-5'],
    ["an organization's provider", { providers: [ours] }, 'ours/qwen3', 'ours/qwen3'],
    ['its own come first', { providers: [ours] }, 'qwen3', 'ours/qwen3'],
    ['a default of its own provider', { providers: [ours], default: 'ours/a/b' }, '', 'ours/a/b'],
    ['what was called openai-compatible', {}, 'openai-compatible/qwen3', 'openai/qwen3'],
    ['a slash in a name at the only server', { providers: [] }, 'openai/qwen/qwen3', 'openai/qwen/qwen3'],
  ])('%s', async (_name, settings, model, expected) => {
    await put(settings);
    expect(outcomeOf(await start(model === '' ? {} : { model }))).toEqual([201, expected]);
  });

  test.each([
    ['nope/x', 'nope/x has an unknown provider. Use <provider>/<name> with anthropic or openai.'],
    [
      'google/gemini',
      'google/gemini needs the provider google, which is not configured. Choose a model of anthropic or',
    ],
  ])('is refused where its provider is not configured, and told which are: %s', async (model, words) => {
    const refused = await start({ model });
    expect(outcomeOf(refused)).toEqual([400, 'invalid_request']);
    expect(refused.json['message']).toContain(`body.model: ${words}`);
    for (const [method, path] of [
      ['POST', '/agents'],
      ['PATCH', `/agents/${await agentWith({})}`],
    ] as const) {
      const { status, json } = await api.call(method, path, { body: { name: 'x', model } });
      expect([status, json]).toEqual([
        422,
        {
          detail: [
            expect.objectContaining({
              loc: ['body', 'model'],
              msg: expect.stringContaining(words.replace(/\.$/, '')),
              ctx: { providers: ['anthropic', 'openai'] },
            }),
          ],
        },
      ]);
    }
  });

  test('is left to the worker where nothing is configured at all', async () => {
    const bare = await api.another({ ANTHROPIC_API_KEY: '', OPENAI_BASE_URL: '' });
    expect(outcomeOf(await start({ model: 'nope/x' }, { on: bare }))).toEqual([201, 'nope/x']);
    await bare.close();
  });

  test('is that of its agent, unless it names another', async () => {
    const agent_id = await agentWith({ model: 'claude-haiku-4-5' });
    expect(outcomeOf(await start({ agent_id }))).toEqual([201, 'anthropic/claude-haiku-4-5']);
    expect(outcomeOf(await start({ agent_id, model: '' }))).toEqual([201, 'anthropic/claude-haiku-4-5']);
    expect(outcomeOf(await start({ agent_id, model: sonnet }))).toEqual([201, sonnet]);
  });

  test('is none for a script that names none', async () => {
    await put({ allowed: ['openai/*'] });
    const agent_id = await agentWith({ runtime: 'script', runtime_config: { steps: [{ run: 'true' }], summary: '' } });
    expect(outcomeOf(await start({ agent_id }))).toEqual([201, '']);
    expect(outcomeOf(await start({ agent_id, model: sonnet }))).toEqual([400, 'invalid_request']);
  });
});

describe('allowed', () => {
  test.each<[string[], string, boolean]>([
    [[], sonnet, true],
    [[sonnet], sonnet, true],
    [['claude-sonnet-5'], sonnet, true],
    [[sonnet], 'claude-sonnet-5', true],
    [['anthropic/*'], sonnet, true],
    [['claude-*'], sonnet, true],
    [['*/claude-sonnet-5'], sonnet, true],
    [['*'], 'openai/qwen3', true],
    [['openai-compatible/qwen3'], 'openai/qwen3', true],
    [['openai/qwen3'], 'openai-compatible/qwen3', true],
    [['anthropic/claude-haiku-4-5'], sonnet, false],
    [['openai/*'], sonnet, false],
    [['claude-*'], 'openai/claude-x', false],
    [['anthropic/claude-sonnet'], sonnet, false],
    [['google/*', sonnet], sonnet, true],
    [['google/*'], 'google', false],
  ])('%j and the model %s: %s', async (allowed, model, fits) => {
    await put({ allowed });
    const answer = await start({ model });
    expect(answer.status).toBe(fits ? 201 : 400);
    if (fits) return;
    expect(answer.json).toMatchObject({ error: 'invalid_request', details: { allowed } });
    expect(answer.json['message']).toMatch(/^body\.model: .* is not allowed in this organization\. Allowed models: /);
    expect(answer.json['message']).toContain(allowed.join(', '));
  });

  test("holds the agent's model and the default as well", async () => {
    const agent_id = await agentWith({ model: 'openai/qwen3' });
    await put({ allowed: ['anthropic/claude-haiku-*'] });
    const byAgent = await start({ agent_id });
    expect(byAgent.json).toMatchObject({
      error: 'invalid_request',
      message: expect.stringContaining('the agent mine'),
    });
    const byDefault = await start({});
    expect(byDefault.json).toMatchObject({
      error: 'invalid_request',
      message: expect.stringContaining('The default: '),
    });
    await put({ allowed: ['anthropic/claude-haiku-*'], default: 'claude-haiku-4-5' });
    expect(outcomeOf(await start({}))).toEqual([201, 'anthropic/claude-haiku-4-5']);
  });

  test("holds an agent's model when it is set, and leaves one that is", async () => {
    const agent = `/agents/${await agentWith({ model: 'openai/qwen3' })}`;
    await put({ allowed: ['anthropic/*'] });
    for (const [method, path] of [
      ['POST', '/agents'],
      ['PATCH', agent],
    ] as const) {
      const refused = await api.call(method, path, { body: { name: 'x', model: 'openai/qwen3' } });
      expect([refused.status, refused.json]).toEqual([
        422,
        {
          detail: [
            {
              loc: ['body', 'model'],
              msg: expect.stringContaining('Allowed models: anthropic/*'),
              type: 'enum',
              input: 'openai/qwen3',
              ctx: { allowed: ['anthropic/*'] },
            },
          ],
        },
      ]);
      for (const model of [sonnet, 'claude-opus-5', ''])
        expect((await api.call(method, path, { body: { name: 'x', model } })).json).toMatchObject({ model });
    }
    await put({});
    await api.call('PATCH', agent, { body: { model: 'openai/qwen3' } });
    await put({ allowed: ['anthropic/*'] });
    expect((await api.call('PATCH', agent, { body: { name: 'renamed' } })).json).toMatchObject({
      model: 'openai/qwen3',
    });
  });
});

describe('pro_only', () => {
  const model = 'anthropic/claude-opus-5';

  async function member(role: 'pro' | 'regular'): Promise<string> {
    const userId = await join(api, orgId, 'member');
    await api.call('PUT', `${organization}/roles`, { body: { user_id: userId, role } });
    return personalKey(api, orgId, userId);
  }

  test.each<[string, object, (agent: string) => object]>([
    ['named', {}, () => ({ model })],
    ['named without its provider', {}, () => ({ model: 'claude-opus-5' })],
    ['named in capitals', {}, () => ({ model: 'anthropic/Claude-OPUS-5' })],
    ['listed in capitals', { pro_only: ['anthropic/Claude-Opus-*'] }, () => ({ model })],
    ["the agent's", {}, (agent_id) => ({ agent_id })],
    ['the default', { default: model }, () => ({})],
    ["the operator's default", { pro_only: ['anthropic/claude-sonnet-*'] }, () => ({})],
  ])('a model that is %s is refused to a regular member, and not to a pro', async (_name, settings, body) => {
    const agent = await agentWith({ model });
    await put({ pro_only: [model], ...settings });
    const refused = await start(body(agent), { key: await member('regular') });
    expect(outcomeOf(refused)).toEqual([403, 'forbidden']);
    expect(refused.json['message']).toContain('requires the role pro');
    expect((await start(body(agent), { key: await member('pro') })).status).toBe(201);
  });

  test('leaves a regular member every other model, and machines any', async () => {
    await put({ pro_only: [model] });
    expect((await start({ model: sonnet }, { key: await member('regular') })).status).toBe(201);
    expect((await start({ model }, { key: await api.keyWith(['run']) })).status).toBe(201);
  });

  test('holds a person whatever their permission, from the next session on', async () => {
    await put({ pro_only: [model] });
    const userId = await join(api, orgId, 'admin');
    const key = await personalKey(api, orgId, userId);
    expect((await start({ model }, { key })).status).toBe(403);
    await api.call('PUT', `${organization}/roles`, { body: { user_id: userId, role: 'pro' } });
    expect((await start({ model }, { key })).status).toBe(201);
    await api.call('PUT', `${organization}/roles`, { body: { user_id: userId, role: 'regular' } });
    expect((await start({ model }, { key })).status).toBe(403);
  });

  test('an API process that does not know the providers goes by the name', async () => {
    const blind = await api.another({ ANTHROPIC_API_KEY: '', OPENAI_BASE_URL: '', GUILDHALL_ROLE: 'api' });
    await put({ pro_only: [model], allowed: ['anthropic/*', 'mistral-large'] });
    expect(outcomeOf(await start({ model: 'mistral/large' }, { on: blind }))).toEqual([400, 'invalid_request']);
    const key = await member('regular');
    for (const [asked, status] of [
      ['claude-opus-5', 403],
      [model, 403],
      ['claude-sonnet-5', 201],
      ['mistral-large', 201],
      ['openai/gpt-6-sol', 400],
    ] as const)
      expect([asked, (await start({ model: asked }, { key, on: blind })).status]).toEqual([asked, status]);
    expect(outcomeOf(await start({}, { key, on: blind }))).toEqual([201, '']);
    await blind.close();
  });
});

describe('settings that name what is not there are refused, each at its place', () => {
  test.each<[object, string]>([
    [{ default: 'mistral/large' }, 'body.default cannot be used: mistral/large has an unknown provider'],
    [{ default: 'google/gemini' }, 'body.default cannot be used: google/gemini needs the provider google'],
    [{ default: 'ours/a' }, 'body.default cannot be used: ours/a has an unknown provider'],
    [
      { allowed: [sonnet, 'mistral/*'] },
      'body.allowed.1 names the provider mistral, which is not configured. Configured providers:',
    ],
    [{ allowed: ['ANTHROPIC/*'] }, 'body.allowed.0 names the provider ANTHROPIC, which is not configured'],
    [{ pro_only: ['ours/a'] }, 'body.pro_only.0 names the provider ours, which is not configured'],
    [{ providers: [ours, { ...ours, name: 'b', secret: 'GONE' }] }, 'body.providers.1.secret does not exist in this'],
  ])('%j', async (body, words) => {
    const { status, json } = await api.call('PUT', `${organization}/settings/models`, { body });
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
    expect(json['message']).toContain(words);
  });

  test.each<[object]>([
    [{ providers: [ours], default: 'ours/a', allowed: ['ours/*', 'claude-*', '*/x', '*'], pro_only: ['google/*'] }],
    [{ default: 'claude-opus-5' }],
  ])('%j is taken', async (body) => {
    expect((await api.call('PUT', `${organization}/settings/models`, { body })).status).toBe(200);
  });

  test("a repository's secret is not the organization's", async () => {
    const { json } = await api.call('POST', `${organization}/repositories`, {
      body: { provider: 'local', repo: 'acme/s' },
    });
    const body = { key: 'OF_ONE', value: 'sk-0123456789', scope: 'repository', repo: json['repo'] };
    expect((await api.call('POST', `${organization}/secrets`, { body })).status).toBe(201);
    const providers = [{ ...ours, secret: 'OF_ONE' }];
    expect((await api.call('PUT', `${organization}/settings/models`, { body: { providers } })).status).toBe(400);
  });
});

test('an agent whose runtime cannot run here starts no session, and says why', async () => {
  const agent_id = await agentWith({ runtime: 'acp', runtime_config: { preset: 'codex' } });
  const refused = await start({ agent_id });
  expect(outcomeOf(refused)).toEqual([400, 'invalid_request']);
  expect(refused.json['message']).toMatch(/^body\.agent_id: The agent's runtime "acp" cannot run here\. .*codex-acp/);
});

describe('what runs agents says why there is no model', () => {
  async function problem(on = api): Promise<unknown> {
    const { json } = await on.call('GET', '/agents/runtimes');
    const items: { id: string; problem: string }[] = Object(json['items']);
    return Object.values(items).find(({ id }) => id === 'builtin')?.problem;
  }

  test.each<[string, object, string]>([
    ['all is well', {}, ''],
    ['a provider that needs no key', { providers: [ours], default: 'ours/a' }, ''],
    ['a default that is not allowed', { allowed: ['openai/*'] }, 'is not allowed in this organization'],
    ['no such secret', { providers: [{ ...ours, secret: 'NONE' }], default: 'ours/a' }, 'secret NONE, which does not'],
  ])('%s', async (_name, settings, expected) => {
    const secret = await api.call('POST', `${organization}/secrets`, { body: { key: 'NONE', value: 'sk-0123456789' } });
    await put(settings);
    // A leaked key must be deletable, even if it is in use.
    await api.call('DELETE', `${organization}/secrets/${String(secret.json['id'])}`);
    if (expected === '') expect(await problem()).toBe('');
    else expect(await problem()).toContain(expected);
    const other = await api.createOrganization('Other');
    const theirs = await api.call('GET', '/agents/runtimes', { key: other.key });
    expect(theirs.text).toContain('"id":"builtin","name":"Built-in agent","runtime":"builtin","installed":true');
    expect(theirs.text).not.toContain('mistral');
  });

  test("where only workers know the operator's keys, an API process says nothing of them", async () => {
    const blind = await api.another({ ANTHROPIC_API_KEY: '', OPENAI_BASE_URL: '', GUILDHALL_ROLE: 'api' });
    expect(await problem(blind)).toBe('');
    const secret = await api.call('POST', `${organization}/secrets`, { body: { key: 'NONE', value: 'sk-0123456789' } });
    await put({ providers: [{ ...ours, secret: 'NONE' }], default: 'ours/a' });
    await api.call('DELETE', `${organization}/secrets/${String(secret.json['id'])}`);
    expect(await problem(blind)).toContain('secret NONE, which does not exist');
    await blind.close();
  });
});

/**
 * Creates a session at the end of a chain of `length` ancestors, the first of which belongs to the owner of the key.
 */
async function startedBy(key: string, length: number): Promise<string> {
  const { json } = await start({}, { key });
  let id = String(json['id']);
  for (let index = 0; index < length; index += 1) {
    const child = newId('ses');
    await api.ctx.db.pool.query(
      `insert into sessions (id, org_id, title, prompt, agent_id, agent_version, created_by_type, created_by_id)
       select $1, org_id, title, prompt, agent_id, agent_version, 'session', $2 from sessions where id = $2`,
      [child, id],
    );
    id = child;
  }
  return id;
}

test.each([0, 1, 3])('what a session starts is held to who began it, %i sessions above', async (above) => {
  await put({ pro_only: ['*/*opus*'] });
  const models = await modelsOf(api.ctx, orgId);
  const refusal = (id: string) => refusalOf(api.ctx, orgId, models, 'anthropic/claude-opus-5', { type: 'session', id });
  const userId = await join(api, orgId, 'member');
  const person = await startedBy(await personalKey(api, orgId, userId), above);
  expect(await refusal(person)).toContain('requires the role pro');
  expect(await refusal(await startedBy(await api.keyWith(['run']), above))).toBe('');
  await api.call('PUT', `${organization}/roles`, { body: { user_id: userId, role: 'pro' } });
  expect(await refusal(person)).toBe('');
  expect(await refusal('ses_gone')).toContain('requires the role pro');
});
