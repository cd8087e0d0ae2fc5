import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../src/lib/scopes.ts';
import { startTestApi, type Answer, type TestApi } from '../support/api.ts';
import { boundaries } from './settings-boundaries.ts';
import { examples, wrongWholes } from './settings-examples.ts';

const path = '/v3/organizations/default/settings';
const namespaces = Object.keys(examples);

let api: TestApi;
let elsewhere: { id: string; slug: string; key: string };
let agent: string;
beforeAll(async () => {
  api = await startTestApi();
  elsewhere = await api.createOrganization('Elsewhere');
  for (const key of ['LOCAL_LLM_KEY', 'ANTHROPIC', 'A', '_', 'x'.repeat(256)])
    await api.call('POST', '/v3/organizations/default/secrets', { body: { key, value: 'sk-0123456789' } });
  agent = String((await api.call('POST', '/agents', { body: { name: 'ours' } })).json['id']);
});
afterEach(async () => {
  for (const namespace of namespaces) await api.call('DELETE', `${path}/${namespace}`);
});
afterAll(() => api.close());

function put(namespace: string, body: unknown, key = api.adminKey): Promise<Answer> {
  return api.call('PUT', `${path}/${namespace}`, { key, body });
}

async function read(namespace: string): Promise<Record<string, unknown>> {
  return (await api.call('GET', `${path}/${namespace}`)).json;
}

/** Returns the documented example, with an existing agent. */
function exampleOf(namespace: string): object {
  const value = Object(examples[namespace]);
  return 'default_agent' in value ? { ...value, default_agent: agent } : value;
}

/** A namespace that was changed: what the source names, and what the contract adds. */
function recordOf(namespace: string, value: object): object {
  return {
    namespace,
    value,
    title: expect.stringMatching(/\S/),
    enforced: expect.any(Boolean),
    set_keys: expect.any(Array),
    revision: expect.any(Number),
    updated_at: expect.stringMatching(/Z$/),
    updated_by: expect.objectContaining({ type: 'user' }),
  };
}

/** The error envelope (section 2): both are strings; the contract adds the request id. */
function envelope(error: string): object {
  return { error, message: expect.stringMatching(/\S/), request_id: expect.stringMatching(/^req_/) };
}

function invalid(code = 'invalid_request'): object {
  return expect.objectContaining(envelope(code));
}

describe('source 4.3, update a settings namespace: method, path and scope', () => {
  test('PUT /v3/organizations/{orgId}/settings/{namespace} takes org:write, and that alone suffices', async () => {
    expect((await put('memory', { enabled: false }, await api.keyWith(['org:write']))).status).toBe(200);
    const before = await read('memory');
    for (const scope of scopes.filter((other) => other !== 'org:write')) {
      const { status, json } = await put('memory', { enabled: true }, await api.keyWith([scope]));
      expect([scope, status, json]).toEqual([scope, 403, envelope('forbidden')]);
      expect(json['message']).toContain('org:write');
    }
    expect(await read('memory')).toEqual(before);
  });

  test('403 forbidden comes before an unknown namespace and a wrong body', async () => {
    const key = await api.keyWith(['org:read']);
    expect((await put('nothing', {}, key)).json).toEqual(envelope('forbidden'));
    expect((await put('memory', { enabled: 'no' }, key)).json).toEqual(envelope('forbidden'));
  });

  test('{orgId} is the id or the slug', async () => {
    const orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
    for (const organization of [orgId, 'default']) {
      const body = { enabled: false };
      expect((await api.call('PUT', `/v3/organizations/${organization}/settings/memory`, { body })).status).toBe(200);
    }
  });

  test('without a key it is 401, of another organization 404', async () => {
    const nobody = await put('memory', {}, '');
    expect([nobody.status, nobody.json]).toEqual([401, envelope('unauthorized')]);
    for (const [organization, key] of [
      [elsewhere.slug, api.adminKey],
      ['default', elsewhere.key],
      ['org_none', api.adminKey],
    ]) {
      const foreign = await api.call('PUT', `/v3/organizations/${organization}/settings/memory`, {
        key: key ?? '',
        body: { enabled: false },
      });
      expect([foreign.status, foreign.json]).toEqual([404, envelope('organization_not_found')]);
    }
    expect((await read('memory'))['value']).toMatchObject({ enabled: true });
  });

  test('no other method updates one', async () => {
    for (const method of ['POST', 'PATCH']) {
      const { status, json } = await api.call(method, `${path}/memory`, { body: { enabled: false } });
      expect([method, status, json]).toEqual([method, 404, envelope('not_found')]);
    }
    expect((await read('memory'))['value']).toMatchObject({ enabled: true });
  });
});

describe('source 4.3: the namespace', () => {
  test.each(['nothing', 'Memory', 'memory ', 'constructor', '__proto__', 'toString', 'run-tags', 'x'.repeat(900)])(
    'an unknown one (%s) is 400, whatever the body',
    async (namespace) => {
      for (const body of [{}, { enabled: false }]) {
        const { status, json } = await put(encodeURIComponent(namespace), body);
        expect([status, json]).toEqual([400, envelope('unknown_namespace')]);
      }
    },
  );

  test('only validated namespaces are writable: the twelve of the contract', async () => {
    expect(namespaces).toHaveLength(12);
    const list = (await api.call('GET', path)).json;
    expect(Object(list['items']).map((item: { namespace: string }) => item.namespace)).toEqual(namespaces);
    for (const namespace of namespaces) {
      const { status, json } = await put(namespace, { nothing_of_the_sort: 1 });
      expect([namespace, status, json]).toEqual([namespace, 400, invalid()]);
      expect(json['message']).toContain('body.nothing_of_the_sort');
    }
  });
});

describe('source 4.3: the value', () => {
  test.each(namespaces)('%s: the documented example comes back whole', async (namespace) => {
    const value = exampleOf(namespace);
    const { status, headers, json } = await put(namespace, value);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(json).toEqual(recordOf(namespace, value));
    expect(await read(namespace)).toEqual(json);
    // A returned value can be sent again.
    expect((await put(namespace, json['value'])).json['value']).toEqual(json['value']);
  });

  test.each(namespaces)('%s: it is replaced, not merged, and {} is the default', async (namespace) => {
    const before = (await read(namespace))['value'];
    await put(namespace, exampleOf(namespace));
    expect((await put(namespace, {})).json['value']).toEqual(before);
    expect((await read(namespace))['value']).toEqual(before);
  });

  test.each(namespaces)('%s: each key alone leaves the others at their default', async (namespace) => {
    const byDefault = Object((await read(namespace))['value']);
    const whole = Object(exampleOf(namespace));
    for (const key of Object.keys(whole)) {
      // Models require providers.
      const alone = { ...(namespace === 'models' ? { providers: whole.providers } : {}), [key]: whole[key] };
      const { status, json } = await put(namespace, alone);
      expect([namespace, key, status, json]).toEqual([
        namespace,
        key,
        200,
        recordOf(namespace, { ...byDefault, ...alone }),
      ]);
    }
  });

  test('what one organization puts is not the value of another', async () => {
    await put('memory', { enabled: false });
    const url = `/v3/organizations/${elsewhere.slug}/settings/memory`;
    expect((await api.call('GET', url, { key: elsewhere.key })).json['value']).toMatchObject({ enabled: true });
  });
});

describe('source 4.3: 400, invalid input', () => {
  test.each(boundaries)('$namespace $place', async ({ namespace, place, body, taken, refused }) => {
    for (const value of taken) {
      const { status, json } = await put(namespace, body(value));
      expect([place, value, status, json]).toEqual([
        place,
        value,
        200,
        recordOf(namespace, expect.objectContaining(body(value))),
      ]);
    }
    const before = await read(namespace);
    for (const value of refused) {
      const { status, json } = await put(namespace, body(value));
      expect([place, value, status, json]).toEqual([place, value, 400, invalid()]);
      expect(json['message']).toContain(`body.${place}`);
    }
    expect(await read(namespace)).toEqual(before);
  });

  test.each(wrongWholes)('$namespace: $name', async ({ namespace, body, place }) => {
    const { status, json } = await put(namespace, body);
    expect([status, json]).toEqual([400, invalid()]);
    expect(json['message']).toContain(`body.${place}`);
  });

  test.each([
    ['an array', []],
    ['a string', 'x'],
    ['a number', 1],
    ['null', null],
    ['true', true],
  ])('a body that is %s', async (_name, body) => {
    const before = await read('run_tags');
    const { status, json } = await api.call('PUT', `${path}/run_tags`, { raw: JSON.stringify(body) });
    expect([status, json]).toEqual([400, invalid()]);
    expect(json['message']).toContain('body');
    expect(await read('run_tags')).toEqual(before);
  });

  test('a number that is none: JSON that says 1e400', async () => {
    for (const [namespace, raw] of [
      ['budgets', '{"per_day_usd": 1e400}'],
      ['sandbox', '{"cpu": 1e400}'],
      ['memory', '{"retention_days": 1e400}'],
    ]) {
      const { status, json } = await api.call('PUT', `${path}/${namespace}`, { raw: raw ?? '' });
      expect([namespace, status, json]).toEqual([namespace, 400, invalid()]);
    }
  });

  test('no body at all, which is no way to set everything back', async () => {
    await put('memory', { enabled: false });
    const { status, json } = await api.call('PUT', `${path}/memory`);
    expect([status, json]).toEqual([400, invalid()]);
    expect((await read('memory'))['value']).toMatchObject({ enabled: false });
  });

  test('no JSON is 400 invalid_json, another media type 415, more than 1 MiB 413', async () => {
    const broken = await api.call('PUT', `${path}/memory`, { raw: '{"enabled":' });
    expect([broken.status, broken.json]).toEqual([400, invalid('invalid_json')]);
    const text = await api.call('PUT', `${path}/memory`, { raw: 'x=1', headers: { 'content-type': 'text/plain' } });
    expect([text.status, text.json]).toEqual([415, envelope('unsupported_media_type')]);
    const large = await put('memory', { enabled: false, x: 'x'.repeat(1_048_576) });
    expect([large.status, large.json]).toEqual([413, envelope('payload_too_large')]);
  });
});

test('source 4.3: an update is on record once; a refused one changes nothing', async () => {
  const trail = async () =>
    (await api.ctx.db.pool.query("select changes from audit_entries where action = 'settings.replace' order by id"))
      .rows;
  const before = (await trail()).length;
  await put('retention', { events_days: 30 });
  await put('retention', { events_days: -1 });
  expect((await trail()).slice(before)).toEqual([
    { changes: { fields: ['events_days'], before: { events_days: 0 }, after: { events_days: 30 } } },
  ]);
});
