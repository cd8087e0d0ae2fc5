import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { settingsOf } from './service.ts';

const path = '/v3/organizations/default/settings';
const all = [
  'run_tags',
  'models',
  'sessions',
  'source_control',
  'reviews',
  'automations',
  'memory',
  'knowledge',
  'sandbox',
  'notifications',
  'retention',
  'budgets',
];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterEach(async () => {
  for (const namespace of all) await api.call('DELETE', `${path}/${namespace}`);
});
afterAll(() => api.close());

function put(namespace: string, body: unknown, key = api.adminKey): Promise<Answer> {
  return api.call('PUT', `${path}/${namespace}`, { body, key });
}

function refusal({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

async function orgId(): Promise<string> {
  return String((await api.call('GET', '/v3/organizations/default')).json['id']);
}

async function trail(): Promise<Record<string, unknown>[]> {
  const { rows } = await api.ctx.db.pool.query(
    "select action, resource_type, resource_id, changes from audit_entries where action like 'settings.%' order by id",
  );
  return rows;
}

describe('the list', () => {
  test('has every namespace in order, with its whole value, in pages', async () => {
    await put('budgets', { per_day_usd: 5 });
    const { status, json } = await api.call('GET', path);
    expect([status, json['total'], json['has_next_page']]).toEqual([200, 12, false]);
    const items: { namespace: string; value: object }[] = Object(json['items']);
    expect(items.map(({ namespace }) => namespace)).toEqual(all);
    for (const item of items) expect((await api.call('GET', `${path}/${item.namespace}`)).json).toEqual(item);
    expect(items[11]?.value).toEqual({ per_day_usd: 5, per_cycle_usd: null, per_session_usd: null, hard: true });
    const first = await api.call('GET', `${path}?first=5`);
    const second = await api.call('GET', `${path}?first=7&after=${String(first.json['end_cursor'])}`);
    expect([...Object(first.json['items']), ...Object(second.json['items'])]).toEqual(items);
    expect([first.json['has_next_page'], second.json['has_next_page']]).toEqual([true, false]);
    const last = await api.call('GET', `${path}?after=${String(second.json['end_cursor'])}`);
    expect(last.json).toEqual({ items: [], end_cursor: '', has_next_page: false, total: 12 });
  });

  test('takes its own cursors only, and org:read', async () => {
    expect(refusal(await api.call('GET', `${path}?after=x`))).toEqual([400, 'invalid_cursor']);
    expect((await api.call('GET', path, { key: await api.keyWith(['org:read']) })).status).toBe(200);
    for (const url of [path, `${path}/budgets`, `${path}/budgets/schema`])
      expect(refusal(await api.call('GET', url, { key: await api.keyWith(['org:write']) }))).toEqual([
        403,
        'forbidden',
      ]);
  });
});

describe('one namespace', () => {
  test('is the default, what was put, and after DELETE the default again', async () => {
    const { slug, key } = await api.createOrganization('Fresh');
    const self = (await api.call('GET', '/v3/self', { key })).json;
    const updated_by = { type: 'user', id: self['principal_id'], name: self['name'] };
    const at = `/v3/organizations/${slug}/settings/knowledge`;
    const byDefault = (await api.call('GET', at, { key })).json;
    expect(byDefault).toEqual({
      namespace: 'knowledge',
      title: 'Knowledge',
      value: { auto_suggest: true, max_notes_per_session: 20 },
      enforced: true,
      set_keys: [],
      revision: 0,
      updated_at: null,
      updated_by: null,
    });
    const changed = await api.call('PUT', at, { key, body: { max_notes_per_session: 3 } });
    expect(changed.json).toEqual({
      ...byDefault,
      value: { auto_suggest: true, max_notes_per_session: 3 },
      set_keys: ['max_notes_per_session'],
      revision: 1,
      updated_at: expect.stringMatching(/^20/),
      updated_by,
    });
    expect((await api.call('GET', at, { key })).json).toEqual(changed.json);
    for (let times = 0; times < 2; times += 1) expect((await api.call('DELETE', at, { key })).status).toBe(204);
    expect((await api.call('GET', at, { key })).json).toEqual({
      ...byDefault,
      revision: 2,
      updated_at: expect.stringMatching(/^20/),
      updated_by,
    });
    const reader = await api.keyWith(['org:read']);
    expect(refusal(await api.call('DELETE', `${path}/knowledge`, { key: reader }))).toEqual([403, 'forbidden']);
  });

  test('is not overwritten by someone who read an earlier revision, also after a reset', async () => {
    const first = await put('knowledge', { max_notes_per_session: 3 });
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toBe(`"${String(first.json['revision'])}"`);
    const change = (etag: string) =>
      api.call('PUT', `${path}/knowledge`, { body: { max_notes_per_session: 4 }, headers: { 'if-match': etag } });
    const second = await change(tag);
    expect(second.status).toBe(200);
    expect(refusal(await change(tag))).toEqual([412, 'revision_conflict']);
    const headers = { 'if-match': tag };
    expect(refusal(await api.call('DELETE', `${path}/knowledge`, { headers }))).toEqual([412, 'revision_conflict']);
    await api.call('DELETE', `${path}/knowledge`);
    await put('knowledge', { max_notes_per_session: 3 });
    expect(refusal(await change(tag))).toEqual([412, 'revision_conflict']);
    expect(refusal(await change(second.headers.get('etag') ?? ''))).toEqual([412, 'revision_conflict']);
  });

  test('names what was put, also where it equals the default', async () => {
    const { json } = await put('sandbox', { network: 'none', cpu: 4 });
    expect(json['set_keys']).toEqual(['cpu', 'network']);
    expect((await put('sandbox', {})).json['set_keys']).toEqual([]);
  });

  test('has its keys in the order of the schema, however they were put', async () => {
    const order = ['cpu', 'memory_mb', 'disk_mb', 'pids', 'network', 'allowed_hosts'];
    const { json } = await put('sandbox', { network: 'open', pids: 64 });
    expect(Object.keys(Object(json['value']))).toEqual(order);
    expect(Object.keys(Object((await api.call('GET', `${path}/sandbox`)).json['value']))).toEqual(order);
  });

  test('refuses kinds of notifications that never come', async () => {
    for (const value of [
      { webhooks: [{ url: 'https://example.com/', events: ['session.created'] }] },
      { slack: { secret: '', channel: '', events: ['session.created'] } },
      { email: { recipients: [], events: ['session.created'] } },
    ]) {
      const answer = await api.call('PUT', `${path}/notifications`, { body: value });
      expect(refusal(answer)).toEqual([400, 'invalid_request']);
      expect(answer.text).toContain('must be one of session.needs_you, session.finished');
    }
    expect((await put('notifications', { email: { events: ['session.failed'] } })).status).toBe(200);
  });

  test.each([
    ['run_tags', { allowed: ['bug', ' '] }, 'body.allowed.1 must not be blank.'],
    ['run_tags', { allowed: ['a,b'] }, 'body.allowed.0 must not contain a comma, which no tag can have.'],
    ['run_tags', { default: ['bug '] }, 'body.default.0 must not begin or end with white space.'],
    [
      'run_tags',
      { allowed: ['a', 'team-*'], required_any: ['b'] },
      'body.required_any must contain a tag that is allowed.',
    ],
    ['models', { allowed: [' '] }, 'body.allowed.0 must not be blank.'],
    ['source_control', { reviewers: ['\t'] }, 'body.reviewers.0 must not be blank.'],
    [
      'notifications',
      { webhooks: [{ url: 'https://a.example/', events: [' '] }] },
      'body.webhooks.0.events.0 must not be blank.',
    ],
  ])('refuses what would have no effect in %s: %j', async (namespace, value, message) => {
    const answer = await put(namespace, value);
    expect([...refusal(answer), answer.json['message']]).toEqual([400, 'invalid_request', message]);
  });

  test('takes required tags that may be allowed', async () => {
    for (const required of ['team-a', 'b*', '*', 'bug'])
      expect((await put('run_tags', { allowed: ['bug', 'team-*'], required_any: [required, 'x'] })).status).toBe(200);
  });

  test('says what to do about a model of a provider where none is configured', async () => {
    const { status, json } = await api.call('PUT', `${path}/models`, { body: { allowed: ['nope/*'] } });
    expect([status, json['message']]).toEqual([
      400,
      'body.allowed.0 names the provider nope, but none is configured. Add it to providers, or omit the entry.',
    ]);
  });

  test('says what cached input costs where that was not put: what input does', async () => {
    const prices = {
      m: { input_per_mtok: 3, output_per_mtok: 4 },
      n: { input_per_mtok: 3, output_per_mtok: 4, cached_input_per_mtok: 0 },
    };
    const { json } = await put('models', { prices });
    expect(Object(json['value']).prices).toEqual({ ...prices, m: { ...prices.m, cached_input_per_mtok: 3 } });
    expect(Object((await settingsOf(api.ctx.db.kysely, await orgId(), 'models')).prices)).toEqual(
      Object(json['value']).prices,
    );
  });

  test("is another organization's own", async () => {
    const other = await api.createOrganization('Elsewhere');
    await put('budgets', { per_day_usd: 5 });
    const theirs = await api.call('GET', `/v3/organizations/${other.slug}/settings/budgets`, { key: other.key });
    expect(theirs.json['value']).toMatchObject({ per_day_usd: null });
    expect(refusal(await put('budgets', {}, other.key))).toEqual([404, 'organization_not_found']);
    expect(refusal(await api.call('GET', `${path}/budgets`, { key: other.key }))).toEqual([
      404,
      'organization_not_found',
    ]);
    expect((await settingsOf(api.ctx.db.kysely, await orgId(), 'budgets')).per_day_usd).toBe(5);
    expect((await settingsOf(api.ctx.db.kysely, other.id, 'budgets')).per_day_usd).toBe(null);
  });

  test.each(['GET', 'DELETE'])('%s of one that does not exist is 400 unknown_namespace', async (method) => {
    for (const name of ['nothing', 'constructor', '__proto__', 'Budgets', 'budgets%20'])
      expect([name, ...refusal(await api.call(method, `${path}/${name}`))]).toEqual([name, 400, 'unknown_namespace']);
    expect(refusal(await api.call('GET', `${path}/nothing/schema`))).toEqual([400, 'unknown_namespace']);
  });

  test.each(all)('%s: everywhere it says whether anything follows from it', async (namespace) => {
    const list: { namespace: string }[] = Object((await api.call('GET', path)).json['items']);
    const said = [
      list.find((item) => item.namespace === namespace),
      (await api.call('GET', `${path}/${namespace}`)).json,
      (await put(namespace, {})).json,
      (await api.call('GET', `${path}/${namespace}/schema`)).json,
    ];
    expect(said.map((one) => Object(one).enforced)).toEqual(said.map(() => true));
  });

  test('its schema takes {} and the value in effect, and refuses an unknown key', async () => {
    for (const namespace of all) {
      const { status, json } = await api.call('GET', `${path}/${namespace}/schema`);
      expect([status, json['title'], json['type']]).toEqual([200, expect.stringMatching(/^[A-Z]/), 'object']);
      const check = new Ajv2020({ strict: false }).compile(json);
      const { value } = (await api.call('GET', `${path}/${namespace}`)).json;
      expect([namespace, check({}), check(value), check({ nothing: 1 })]).toEqual([namespace, true, true, false]);
      expect(check({ ...Object(value), [Object.keys(Object(value))[0] ?? 'x']: { wrong: 1 } })).toBe(false);
    }
  });
});

test('every field of every schema has a title, and only known hints', async () => {
  const places: string[] = [];
  const walk = (schema: unknown, at: string): void => {
    const { properties, items, additionalProperties, propertyNames, ...rest } = Object(schema);
    const inside = { ...Object(properties) };
    for (const [key, property] of Object.entries(inside)) {
      if (!/^[A-Z]/.test(String(Object(property).title))) places.push(`${at}.${key}`);
      walk(property, `${at}.${key}`);
    }
    for (const hint of Object.keys(rest).filter((key) => key.startsWith('x-')))
      if (!['x-group', 'x-unit', 'x-picker', 'x-texts', 'x-default-from'].includes(hint)) places.push(`${at} ${hint}`);
    const values: string[] = rest.enum ?? [];
    for (const value of values) if (rest['x-texts']?.[value] === undefined) places.push(`${at}=${value}`);
    for (const inner of [items, additionalProperties, propertyNames])
      if (typeof inner === 'object') walk(inner, `${at}[]`);
  };
  for (const namespace of all) walk((await api.call('GET', `${path}/${namespace}/schema`)).json, namespace);
  expect(places).toEqual([]);
  const { json } = await api.call('GET', `${path}/sandbox/schema`);
  expect(json['properties']).toMatchObject({
    memory_mb: { title: 'Memory', 'x-unit': 'MiB', 'x-group': 'Size' },
    network: { 'x-texts': { none: expect.any(String), allowlist: expect.any(String), open: expect.any(String) } },
    allowed_hosts: { 'x-picker': 'host' },
  });
});

describe('on record', () => {
  test('are the fields that changed, before and after, and no path of a webhook', async () => {
    const before = (await trail()).length;
    await put('budgets', { per_day_usd: 5, hard: true });
    await put('budgets', { per_day_usd: -5 });
    await api.call('DELETE', `${path}/budgets`);
    const url = 'https://hooks.example.com/services/T0/B0/canary?token=canary';
    await put('notifications', { webhooks: [{ url }] });
    expect((await trail()).slice(before)).toEqual([
      {
        action: 'settings.replace',
        resource_type: 'settings',
        resource_id: 'budgets',
        changes: { fields: ['per_day_usd'], before: { per_day_usd: null }, after: { per_day_usd: 5 } },
      },
      {
        action: 'settings.reset',
        resource_type: 'settings',
        resource_id: 'budgets',
        changes: { fields: ['per_day_usd'], before: { per_day_usd: 5 }, after: { per_day_usd: null } },
      },
      {
        action: 'settings.replace',
        resource_type: 'settings',
        resource_id: 'notifications',
        changes: {
          fields: ['webhooks'],
          before: { webhooks: [] },
          after: { webhooks: [{ url: 'https://hooks.example.com', events: [] }] },
        },
      },
    ]);
  });

  test('is the order of changes that come at once', async () => {
    const before = (await trail()).length;
    const days = Array.from({ length: 8 }, (_, index) => index + 1);
    await Promise.all(days.map((retention_days) => put('memory', { retention_days })));
    const changes = (await trail()).slice(before).map((entry) => Object(entry['changes']));
    expect(changes).toHaveLength(8);
    const after = new Set(changes.map((change) => change.after.retention_days));
    const from = new Set(changes.map((change) => change.before.retention_days));
    expect(after).toEqual(new Set(days));
    const { value } = (await api.call('GET', `${path}/memory`)).json;
    // Each change starts from the value of another, except for the initial default and the current value.
    expect(from).toEqual(new Set([0, ...days.filter((day) => day !== Object(value).retention_days)]));
  });
});

test('lead a secret to another address only by the right to write secrets', async () => {
  const secrets = '/v3/organizations/default/secrets';
  for (const key of ['KEY_A', 'KEY_B'])
    await api.call('POST', secrets, { body: { key, value: 'sk-of-the-organization' } });
  const provider = { name: 'ours', kind: 'openai_compatible', base_url: 'https://one.example/v1', secret: 'KEY_A' };
  const only = await api.keyWith(['org:write']);
  const elsewhere = [
    { ...provider, base_url: 'https://elsewhere.example/v1' },
    { ...provider, secret: 'KEY_B' },
    { ...provider, kind: 'anthropic' },
  ];
  const refused = await put('models', { providers: [provider] }, only);
  expect([...refusal(refused), refused.json['message']]).toEqual([
    403,
    'forbidden',
    expect.stringContaining('needs the scope secrets:write'),
  ]);
  expect((await put('models', { providers: [provider] })).status).toBe(200);
  for (const one of elsewhere.slice(0, 2)) {
    expect(refusal(await put('models', { providers: [one] }, only))).toEqual([403, 'forbidden']);
    expect(refusal(await put('models', { providers: [provider, { ...one, name: 'b' }] }, only))).toEqual([
      403,
      'forbidden',
    ]);
  }
  // The endpoint stays the same; the vendor's default URL reveals nothing.
  const vendor = { name: 'vendor', kind: 'anthropic', base_url: '', secret: 'KEY_B' };
  expect((await put('models', { providers: [provider, vendor], default: 'ours/x' }, only)).status).toBe(200);
  expect((await put('models', { providers: [] }, only)).status).toBe(200);
  const both = await api.keyWith(['org:write', 'secrets:write']);
  for (const one of elsewhere) expect((await put('models', { providers: [one] }, both)).status).toBe(200);
});

describe("the operator's maxima of a sandbox", () => {
  let bounded: TestApi;
  beforeAll(async () => {
    bounded = await api.another({ GUILDHALL_SANDBOX_MAX: 'cpu=1.5,memory_mb=2048,pids=4096' });
  });
  afterAll(() => bounded.close());
  const valueOf = ({ json }: Answer) => Object(json['value']);

  test('refuse a value above them, by its path and in words', async () => {
    const body = { cpu: 2, memory_mb: 2_049, pids: 4_096, disk_mb: 67_108_864 };
    const answer = await bounded.call('PUT', `${path}/sandbox`, { body });
    expect(refusal(answer)).toEqual([400, 'invalid_request']);
    for (const words of ['cpu', 'at most 1.5', 'memory_mb', 'at most 2048', 'operator'])
      expect(answer.text).toContain(words);
    expect(answer.text).not.toContain('4096');
    expect((await bounded.call('PUT', `${path}/sandbox`, { body: { cpu: 1.5, memory_mb: 2_048 } })).status).toBe(200);
  });

  test('lower defaults and what was put before, where it is shown', async () => {
    expect(valueOf(await bounded.call('GET', `${path}/sandbox`))).toMatchObject({
      cpu: 1.5,
      memory_mb: 2_048,
      pids: 1_024,
    });
    await put('sandbox', { pids: 5_000, memory_mb: 8_192, cpu: 1 });
    expect(valueOf(await bounded.call('GET', `${path}/sandbox`))).toMatchObject({
      cpu: 1,
      memory_mb: 2_048,
      pids: 4_096,
    });
  });

  test('are in the schema', async () => {
    const { json } = await bounded.call('GET', `${path}/sandbox/schema`);
    expect(json['properties']).toMatchObject({
      cpu: { maximum: 1.5, default: 1.5 },
      memory_mb: { maximum: 2_048, default: 2_048 },
      pids: { maximum: 4_096, default: 1_024 },
      disk_mb: { maximum: 67_108_864, default: 10_240 },
    });
  });
});
