import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scopes } from '../../src/lib/scopes.ts';
import { join, personalKey } from '../support/members.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../support/sessions.ts';
import type { TestApi } from '../support/api.ts';

const settings = '/v3/organizations/default/settings/models';
/** The fields of every response with an agent, in this order. */
const fields = [
  'id',
  'name',
  'description',
  'system_prompt',
  'model',
  'max_tokens',
  'temperature',
  'runtime',
  'runtime_config',
  'version',
  'created_at',
  'updated_at',
];

let fixture: RuntimeFixture;
let api: TestApi;
let orgId: string;
let elsewhere: { id: string; slug: string; key: string };
let id: string;
let path: string;
beforeAll(async () => {
  fixture = await createRuntimeFixture();
  ({ api } = fixture);
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  elsewhere = await api.createOrganization('Elsewhere');
});
afterAll(() => fixture.close());
beforeEach(async () => {
  id = String((await api.call('POST', '/agents', { body: { name: 'Mine' } })).json['id']);
  path = `/agents/${id}`;
});

function patch(body: unknown, options: { key?: string; on?: string } = {}) {
  const { key = api.adminKey, on = path } = options;
  return api.call('PATCH', on, { key, body });
}

/** The envelope of every error except for validation: `{error, message}` and nothing else. */
function envelope(error: string): object {
  return { error, message: expect.stringMatching(/\S/) };
}

/**
 * Checks a validation error body (section 2). Returns its entries, each of which has the five keys with their types.
 */
function detailOf(json: Record<string, unknown>): Record<string, unknown>[] {
  expect(Object.keys(json)).toEqual(['detail']);
  const entries: unknown[] = Array.isArray(json['detail']) ? json['detail'] : expect.fail('detail is no array');
  expect(entries.length).toBeGreaterThan(0);
  return entries.map((entry) => {
    const known = { ...Object(entry) };
    expect(Object.keys(known)).toEqual(['loc', 'msg', 'type', 'input', 'ctx']);
    const { loc, msg, type, ctx } = known;
    expect(Array.isArray(loc) && loc.every((step) => typeof step === 'string')).toBe(true);
    expect([typeof msg, typeof type, msg === '', type === '']).toEqual(['string', 'string', false, false]);
    expect(typeof ctx === 'object' && ctx !== null && !Array.isArray(ctx)).toBe(true);
    return known;
  });
}

const versionOf = async (): Promise<unknown> => (await api.call('GET', path)).json['version'];

describe('source 4.6, update an agent: method, path and authentication', () => {
  test('PATCH /agents/{agent_id} takes org:write, and that alone suffices', async () => {
    expect((await patch({ name: 'x' }, { key: await api.keyWith(['org:write']) })).status).toBe(200);
    for (const scope of scopes.filter((other) => other !== 'org:write')) {
      const { status, json } = await patch({ name: 'y' }, { key: await api.keyWith([scope]) });
      expect([scope, status, json]).toEqual([scope, 403, envelope('forbidden')]);
      expect(json['message']).toContain('org:write');
    }
    expect((await api.call('GET', path)).json).toMatchObject({ name: 'x', version: 2 });
  });

  test('a person acts with the key of the organization, as far as their permission goes', async () => {
    for (const [permission, status] of [
      ['admin', 200],
      ['member', 403],
      ['viewer', 403],
    ] as const) {
      const key = await personalKey(api, orgId, await join(api, orgId, permission));
      expect([permission, (await patch({ name: 'x' }, { key })).status]).toEqual([permission, status]);
    }
  });

  test.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['no bearer', { authorization: 'Basic Z3VpbGQ6Z3VpbGQ=' }],
    ['a key that is none', { authorization: 'Bearer guild_nothing' }],
  ])('%s: 401', async (_name, headers) => {
    const {
      status,
      json,
      headers: answered,
    } = await api.call('PATCH', path, { key: '', body: { name: 'x' }, headers });
    expect([status, json]).toEqual([401, envelope('unauthorized')]);
    expect(answered.get('www-authenticate')).toBe('Bearer');
    expect(await versionOf()).toBe(1);
  });

  test("another organization's agent answers exactly as a missing and as a deleted one", async () => {
    const none = await patch({ name: 'x' }, { on: '/agents/agt_none' });
    expect([none.status, none.json]).toEqual([404, envelope('agent_not_found')]);
    const foreign = await patch({ name: 'x' }, { key: elsewhere.key });
    expect([foreign.status, foreign.text]).toEqual([404, none.text.replace('agt_none', id)]);
    await api.call('DELETE', path);
    const deleted = await patch({ name: 'x' });
    expect([deleted.status, deleted.text]).toEqual([404, foreign.text]);
  });

  test('no other method changes one, nor does the path below /v3', async () => {
    for (const [method, on] of [
      ['PUT', path],
      ['POST', path],
      ['PATCH', '/agents'],
    ] as const) {
      const { status, json } = await api.call(method, on, { body: { name: 'x' } });
      expect([method, on, status, json]).toEqual([method, on, 404, envelope('not_found')]);
    }
    expect((await patch({ name: 'x' }, { on: `/v3/organizations/default${path}` })).status).toBe(404);
    expect(await versionOf()).toBe(1);
  });
});

describe('source 4.6: request body', () => {
  const taken: [string, object][] = [
    ['name of 1', { name: 'x' }],
    ['name of 200', { name: 'x'.repeat(200) }],
    ['name of 200 characters that are two units each', { name: '😀'.repeat(200) }],
    ['description of 0', { description: '' }],
    ['description of 2,000', { description: 'x'.repeat(2_000) }],
    ['system_prompt of 0', { system_prompt: '' }],
    ['system_prompt of 100,000', { system_prompt: 'x'.repeat(100_000) }],
    ['model: the default', { model: '' }],
    ['model of 200', { model: `anthropic/${'m'.repeat(190)}` }],
    ['max_tokens 1', { max_tokens: 1 }],
    ['max_tokens 1,000,000', { max_tokens: 1_000_000 }],
    ['temperature 0', { temperature: 0 }],
    ['temperature 0.7', { temperature: 0.7 }],
    ['temperature 2', { temperature: 2 }],
    ['all six', { name: 'n', description: 'd', system_prompt: 's', model: 'm', max_tokens: 7, temperature: 1 }],
  ];
  test.each(taken)('%s: 200 with the whole agent', async (_name, body) => {
    const before = (await api.call('GET', path)).json;
    const { status, headers, json } = await patch(body);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(Object.keys(json)).toEqual(fields);
    expect(json).toEqual({ ...before, ...body, version: 2, updated_at: expect.stringMatching(/T.*\.\d{3}Z$/) });
    expect(Date.parse(String(json['updated_at']))).toBeGreaterThanOrEqual(Date.parse(String(before['updated_at'])));
    expect((await api.call('GET', path)).json).toEqual(json);
  });

  const refused: [string, object, string, string, object?][] = [
    ['name of 0', { name: '' }, 'name', 'string_too_short', { min_length: 1 }],
    ['name of 201', { name: 'x'.repeat(201) }, 'name', 'string_too_long', { max_length: 200 }],
    ['name: a number', { name: 7 }, 'name', 'string_type'],
    [
      'description of 2,001',
      { description: 'x'.repeat(2_001) },
      'description',
      'string_too_long',
      { max_length: 2_000 },
    ],
    ['description: a list', { description: ['x'] }, 'description', 'string_type'],
    ['system_prompt of 100,001', { system_prompt: 'x'.repeat(100_001) }, 'system_prompt', 'string_too_long'],
    ['system_prompt: an object', { system_prompt: {} }, 'system_prompt', 'string_type'],
    ['model of 201', { model: 'x'.repeat(201) }, 'model', 'string_too_long', { max_length: 200 }],
    ['model: a boolean', { model: true }, 'model', 'string_type'],
    ['max_tokens 0', { max_tokens: 0 }, 'max_tokens', 'greater_than_equal', { ge: 1 }],
    ['max_tokens -1', { max_tokens: -1 }, 'max_tokens', 'greater_than_equal'],
    ['max_tokens 1,000,001', { max_tokens: 1_000_001 }, 'max_tokens', 'less_than_equal', { le: 1_000_000 }],
    ['max_tokens 1.5', { max_tokens: 1.5 }, 'max_tokens', 'int_type'],
    ['max_tokens "7"', { max_tokens: '7' }, 'max_tokens', 'int_type'],
    ['temperature -0.01', { temperature: -0.01 }, 'temperature', 'greater_than_equal', { ge: 0 }],
    ['temperature 2.01', { temperature: 2.01 }, 'temperature', 'less_than_equal', { le: 2 }],
    ['temperature "1"', { temperature: '1' }, 'temperature', 'float_type'],
    ['name: null', { name: null }, 'name', 'string_type'],
    ['description: null', { description: null }, 'description', 'string_type'],
    ['system_prompt: null', { system_prompt: null }, 'system_prompt', 'string_type'],
    ['model: null', { model: null }, 'model', 'string_type'],
    ['max_tokens: null', { max_tokens: null }, 'max_tokens', 'int_type'],
    ['temperature: null', { temperature: null }, 'temperature', 'float_type'],
  ];
  test.each(refused)('%s: 422 that names it, and nothing changes', async (_name, body, field, type, ctx = {}) => {
    const { status, headers, json } = await patch({ description: 'kept out', ...body });
    expect([status, headers.get('content-type')]).toEqual([422, 'application/json; charset=utf-8']);
    const [entry, ...more] = detailOf(json);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ loc: ['body', field], type, ctx });
    expect(entry?.['input']).toEqual(Object.entries(body)[0]?.[1]);
    expect((await api.call('GET', path)).json).toMatchObject({ version: 1, description: '' });
  });

  test('an infinite number, U+0000 and a lone surrogate are 422 as well', async () => {
    for (const [raw, field] of [
      ['{"max_tokens":1e400}', 'max_tokens'],
      ['{"temperature":1e400}', 'temperature'],
      ['{"name":"a\\u0000b"}', 'name'],
      ['{"name":"\\ud800"}', 'name'],
    ]) {
      const { status, json } = await api.call('PATCH', path, { raw: raw ?? '' });
      expect([status, detailOf(json)[0]?.['loc']]).toEqual([422, ['body', field]]);
    }
  });

  test('every fault of a body is named at once, each with what was sent', async () => {
    const { json } = await patch({ name: '', max_tokens: 'x', temperature: 9 });
    expect(detailOf(json)).toMatchObject([
      { loc: ['body', 'name'], input: '' },
      { loc: ['body', 'max_tokens'], input: 'x' },
      { loc: ['body', 'temperature'], input: 9 },
    ]);
  });

  test.each<[string, unknown, string]>([
    ['an empty body', {}, 'too_short'],
    ['only unknown keys', { colour: 'red', size: 1 }, 'too_short'],
    ['an array', [], 'object_type'],
    ['null', null, 'object_type'],
    ['a string', 'name', 'object_type'],
  ])('at least one field: %s is 422', async (_name, body, type) => {
    const { status, json } = await api.call('PATCH', path, { raw: JSON.stringify(body) });
    expect([status, detailOf(json)]).toEqual([422, [expect.objectContaining({ loc: ['body'], type, input: body })]]);
  });

  test('unknown keys beside known ones are ignored', async () => {
    const { status, json } = await patch({ name: 'new', colour: 'red', id: 'agt_other', version: 99 });
    expect([status, Object.keys(json)]).toEqual([200, fields]);
    expect(json).toMatchObject({ id, name: 'new', version: 2 });
  });

  test('a path deep in runtime_config is a list of strings', async () => {
    const { status, json } = await patch({ runtime: 'script', runtime_config: { steps: [{ run: 'true' }, {}] } });
    expect(status).toBe(422);
    const places = detailOf(json).map(({ loc }) => loc);
    expect(places).toContainEqual(['body', 'runtime_config', 'steps', '1', 'run']);
  });

  test('no JSON is 422, another media type 415, more than 1 MiB 413', async () => {
    const broken = await api.call('PATCH', path, { raw: '{"name":' });
    expect([broken.status, detailOf(broken.json)]).toEqual([422, [expect.objectContaining({ type: 'json_invalid' })]]);
    const text = await api.call('PATCH', path, { raw: 'name=x', headers: { 'content-type': 'text/plain' } });
    expect([text.status, text.json]).toEqual([415, envelope('unsupported_media_type')]);
    const large = await patch({ system_prompt: 'x'.repeat(1_048_576) });
    expect([large.status, large.json]).toEqual([413, envelope('payload_too_large')]);
  });

  test('a wrong body comes before a missing agent, and a missing scope before both', async () => {
    expect((await patch({}, { on: '/agents/agt_none' })).status).toBe(422);
    const key = await api.keyWith(['org:read']);
    expect((await patch({}, { key, on: '/agents/agt_none' })).status).toBe(403);
  });
});

describe('contract 3: the model is one that the organization allows', () => {
  test('another one is 422, whatever else the body says', async () => {
    await api.call('PUT', settings, { body: { allowed: ['anthropic/*', 'openai/gpt-6-sol'] } });
    try {
      for (const model of ['openai/gpt-6-sol', 'anthropic/claude-opus-5', ''])
        expect((await patch({ model })).json).toMatchObject({ model });
      const { status, json } = await patch({ name: 'other', model: 'openai/gpt-6' });
      expect([status, detailOf(json)]).toEqual([
        422,
        [
          {
            loc: ['body', 'model'],
            msg: expect.stringContaining('Allowed models: anthropic/*, openai/gpt-6-sol'),
            type: 'enum',
            input: 'openai/gpt-6',
            ctx: { allowed: ['anthropic/*', 'openai/gpt-6-sol'] },
          },
        ],
      ]);
      expect((await api.call('GET', path)).json).toMatchObject({ name: 'Mine', model: '', version: 4 });
    } finally {
      await api.call('DELETE', settings);
    }
    expect((await patch({ model: 'openai/gpt-6' })).status).toBe(200);
  });
});

describe('contract 3: a new version', () => {
  test('each change makes one, and what it does not name stays', async () => {
    const first = await patch({ system_prompt: 'Be brief.', max_tokens: 5, temperature: 0.5 });
    const second = await patch({ name: 'Renamed' });
    expect(second.json).toEqual({
      ...first.json,
      name: 'Renamed',
      version: 3,
      updated_at: second.json['updated_at'],
    });
  });

  test('changes at once make one each', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => patch({ name: `n${index}` })));
    expect(new Set(answers.map(({ json }) => json['version']))).toEqual(new Set([2, 3, 4, 5, 6, 7, 8, 9]));
  });

  test('a session keeps the one it was started with', async () => {
    const step = (text: string) => ({ steps: [{ run: `echo ${text}` }], summary: text });
    await patch({ runtime: 'script', runtime_config: step('before') });
    const early = await fixture.create({ repositories: [], agent_id: id });
    await patch({ runtime_config: step('after') });
    const late = await fixture.create({ repositories: [], agent_id: id });
    await api.call('DELETE', path);
    await fixture.startWorker();
    for (const [{ id: session }, text] of [
      [early, 'before'],
      [late, 'after'],
    ] as const) {
      expect((await fixture.reaches(session, 'completed', 'failed')).status).toBe('completed');
      const events = await fixture.events(session);
      const commands = events.filter(({ kind }) => kind === 'command').map(({ data }) => data['command']);
      expect(new Set(commands)).toEqual(new Set([`echo ${text}`]));
    }
    await fixture.stopWorkers();
  });

  test('is on record, without what it says', async () => {
    await patch({ system_prompt: 'nobody else reads this', name: 'Recorded' });
    await patch({ name: '' });
    const { rows } = await api.ctx.db.pool.query(
      'select action, resource_type, changes, outcome from audit_entries where resource_id = $1 order by id',
      [id],
    );
    expect(rows).toEqual([
      expect.objectContaining({ action: 'agent.create' }),
      {
        action: 'agent.update',
        resource_type: 'agent',
        changes: { name: 'Recorded', fields: ['name', 'system_prompt'] },
        outcome: 'success',
      },
    ]);
  });
});
