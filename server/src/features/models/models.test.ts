import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';

const organization = '/v3/organizations/default';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ ANTHROPIC_API_KEY: 'k' });
});
afterAll(() => api.close());
beforeEach(() => api.call('DELETE', `${organization}/settings/models`));

async function put(value: object): Promise<void> {
  expect((await api.call('PUT', `${organization}/settings/models`, { body: value })).status).toBe(200);
}

async function models(options: { key?: string; on?: TestApi } = {}): Promise<Record<string, unknown>[]> {
  const { on = api, ...rest } = options;
  const { status, json } = await on.call('GET', `${organization}/models`, rest);
  expect([status, Object.keys(json)]).toEqual([200, ['items']]);
  return Object(json['items']);
}

const ours = { name: 'ours', kind: 'openai_compatible', base_url: 'https://models.example/v1' };

test('lists the published models of the configured vendors, the default first, with price and context', async () => {
  const [first, ...others] = await models();
  expect(first).toEqual({
    id: 'anthropic/claude-sonnet-5',
    provider: 'anthropic',
    name: 'claude-sonnet-5',
    allowed: true,
    allowed_for_caller: true,
    pro_only: false,
    is_default: true,
    price: {
      input_per_mtok: expect.any(Number),
      output_per_mtok: expect.any(Number),
      cached_input_per_mtok: expect.any(Number),
      source: 'published',
    },
    context_tokens: 1_000_000,
  });
  const { input_per_mtok: input, output_per_mtok: output, cached_input_per_mtok: cached } = Object(first?.['price']);
  expect(output).toBeGreaterThan(input);
  expect(cached).toBeLessThan(input);
  expect(input).toBeGreaterThanOrEqual(1);
  expect(others.map(({ id }) => id)).toContain('anthropic/claude-haiku-4-5');
  expect(
    others.filter(({ is_default: isDefault, provider }) => isDefault === true || provider !== 'anthropic'),
  ).toEqual([]);
});

test.each([
  [{ OPENAI_API_KEY: 'k' }, 'openai', /image|audio|whisper|embedding|tts|realtime|babbage/],
  [{ GOOGLE_GENERATIVE_AI_API_KEY: 'k' }, 'google', /image|embedding|tts|claude/],
])('leaves out models that cannot work on code: %o', async (environment, provider, others) => {
  const other = await api.another({ ANTHROPIC_API_KEY: '', ...environment });
  const names = (await models({ on: other })).map(({ id }) => String(id));
  await other.close();
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => others.test(name) || !name.startsWith(`${provider}/`))).toEqual([]);
});

test('lists the models that the settings name, and no pattern, with the prices of the organization', async () => {
  await put({
    providers: [ours],
    default: 'ours/coder',
    allowed: ['ours/*', 'anthropic/claude-haiku-4-5'],
    prices: { 'ours/other/large': { input_per_mtok: 0.5, output_per_mtok: 2 } },
  });
  const all = await models();
  expect(all.map(({ id }) => id).slice(0, 3)).toEqual(['ours/coder', 'anthropic/claude-haiku-4-5', 'ours/other/large']);
  const [coder, , large] = all;
  expect(coder).toMatchObject({ name: 'coder', is_default: true, allowed: true, price: null, context_tokens: null });
  const price = { input_per_mtok: 0.5, output_per_mtok: 2, cached_input_per_mtok: 0.5, source: 'organization' };
  expect(large).toMatchObject({ provider: 'ours', name: 'other/large', allowed: true, price });
  const allowed = all.filter((model) => model['allowed'] === true).map(({ id }) => id);
  expect(allowed).toEqual(['ours/coder', 'anthropic/claude-haiku-4-5', 'ours/other/large']);
});

test('says what this caller may use: members without the role pro, and service users', async () => {
  await put({ allowed: ['anthropic/claude-*-5'], pro_only: ['anthropic/claude-OPUS-*'] });
  const orgId = String((await api.call('GET', organization)).json['id']);
  const userId = await join(api, orgId, 'member');
  const key = await personalKey(api, orgId, userId);
  const machine = await api.keyWith(['run']);
  const seen = async (options: { key: string }) =>
    (await models(options))
      .filter(({ name }) => ['claude-opus-5', 'claude-sonnet-5', 'claude-opus-4-1'].includes(String(name)))
      .map((model) => [model['name'], model['allowed'], model['pro_only'], model['allowed_for_caller']]);
  const opus = (usable: boolean) => [
    ['claude-opus-4-1', false, true, false],
    ['claude-opus-5', true, true, usable],
    ['claude-sonnet-5', true, false, true],
  ];
  const byName = (found: unknown[][]) => found.toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  expect(byName(await seen({ key }))).toEqual(opus(false));
  expect(byName(await seen({ key: machine }))).toEqual(opus(true));
  await api.call('PUT', `${organization}/roles`, { body: { user_id: userId, role: 'pro' } });
  expect(byName(await seen({ key }))).toEqual(opus(true));
});

test('is empty where no provider is configured, and bounded where many are', async () => {
  const bare = await api.another({ ANTHROPIC_API_KEY: '' });
  expect(await models({ on: bare })).toEqual([]);
  await bare.close();
  const providers = Array.from({ length: 20 }, (_, at) => ({ name: `p${at}`, kind: 'openai' }));
  const patterns = Array.from({ length: 500 }, (_, at) => `p${at % 20}/*${'x*'.repeat(90)}${at}`);
  await put({ providers, allowed: patterns, pro_only: patterns });
  const began = performance.now();
  expect(await models()).toHaveLength(500);
  expect(performance.now() - began).toBeLessThan(2_000);
});
