import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';

let api: TestApi;
let agent: string;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  agent = `/agents/${String((await api.call('POST', '/agents', { body: { name: 'mine' } })).json['id'])}`;
});

const script = { steps: [{ run: 'true' }], summary: 'done' };

describe('POST', () => {
  test('everything but the name has a default, and a read has every documented key', async () => {
    const { status, json } = await api.call('POST', '/agents', { body: { name: 'plain', unknown: 1 } });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^agt_/),
      name: 'plain',
      description: '',
      system_prompt: '',
      model: '',
      max_tokens: null,
      temperature: null,
      runtime: 'builtin',
      runtime_config: {},
      version: 1,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    expect((await api.call('GET', `/agents/${String(json['id'])}`)).json).toEqual(json);
  });
});

describe('PATCH', () => {
  const edges: [string, object, object][] = [
    ['name', { name: 'x' }, { name: 'x'.repeat(200) }],
    ['description', { description: '' }, { description: 'x'.repeat(2_000) }],
    ['system_prompt', { system_prompt: '' }, { system_prompt: 'x'.repeat(100_000) }],
    ['model', { model: '' }, { model: 'anthropic/some-model' }],
    ['max_tokens', { max_tokens: 1 }, { max_tokens: 1_000_000 }],
    ['temperature', { temperature: 0 }, { temperature: 2 }],
    ['runtime', { runtime: 'script', runtime_config: script }, { runtime: 'builtin' }],
  ];
  test.each(edges)('%s takes its least and its most', async (_name, least, most) => {
    let version = 1;
    for (const body of [least, most]) {
      const { status, json } = await api.call('PATCH', agent, { body });
      expect(status).toBe(200);
      expect(json).toMatchObject({ ...body, version: (version += 1) });
    }
  });

  const refused: [string, unknown, string[], string][] = [
    ['an empty name', { name: '' }, ['body', 'name'], 'string_too_short'],
    ['a long name', { name: 'x'.repeat(201) }, ['body', 'name'], 'string_too_long'],
    ['a long description', { description: 'x'.repeat(2_001) }, ['body', 'description'], 'string_too_long'],
    ['a long prompt', { system_prompt: 'x'.repeat(100_001) }, ['body', 'system_prompt'], 'string_too_long'],
    ['max_tokens 0', { max_tokens: 0 }, ['body', 'max_tokens'], 'greater_than_equal'],
    ['max_tokens 1,000,001', { max_tokens: 1_000_001 }, ['body', 'max_tokens'], 'less_than_equal'],
    ['max_tokens 1.5', { max_tokens: 1.5 }, ['body', 'max_tokens'], 'int_type'],
    ['max_tokens "7"', { max_tokens: '7' }, ['body', 'max_tokens'], 'int_type'],
    ['temperature below', { temperature: -0.1 }, ['body', 'temperature'], 'greater_than_equal'],
    ['temperature above', { temperature: 2.1 }, ['body', 'temperature'], 'less_than_equal'],
    ['temperature "1"', { temperature: '1' }, ['body', 'temperature'], 'float_type'],
    ['a runtime that is none', { runtime: 'magic' }, ['body', 'runtime'], 'enum'],
    ['a config that is none', { runtime_config: [] }, ['body', 'runtime_config'], 'object_type'],
    ['a name that is a number', { name: 7 }, ['body', 'name'], 'string_type'],
    ['an empty body', {}, ['body'], 'too_short'],
    ['only unknown keys', { colour: 'red', size: 1 }, ['body'], 'too_short'],
    ['an array', [], ['body'], 'object_type'],
    ['null', null, ['body'], 'object_type'],
    ['U+0000', { name: 'a\0b' }, ['body', 'name'], 'characters'],
    ...['name', 'description', 'system_prompt', 'model', 'max_tokens', 'temperature', 'runtime', 'runtime_config'].map(
      (field): [string, unknown, string[], string] => [
        `${field}: null`,
        { [field]: null },
        ['body', field],
        field === 'runtime' ? 'string_type' : expect.stringMatching(/_type$/),
      ],
    ),
  ];
  test.each(refused)('%s is 422 and says where', async (_name, body, loc, type) => {
    const { status, json } = await api.call('PATCH', agent, { raw: JSON.stringify(body) });
    expect([status, Object.keys(json)]).toEqual([422, ['detail']]);
    const detail: unknown[] = Array.isArray(json['detail']) ? json['detail'] : [];
    expect(detail[0]).toEqual({
      loc,
      msg: expect.any(String),
      type,
      input: expect.toSatisfy(() => true),
      ctx: expect.any(Object),
    });
    expect(detail.every((entry) => Object.keys(Object(entry)).join() === 'loc,msg,type,input,ctx')).toBe(true);
    expect((await api.call('GET', agent)).json['version']).toBe(1);
  });

  test('every fault is named, with what was sent', async () => {
    const { json } = await api.call('PATCH', agent, { body: { name: '', temperature: 9, max_tokens: 'x' } });
    expect(json['detail']).toMatchObject([
      { loc: ['body', 'name'], input: '' },
      { loc: ['body', 'max_tokens'], input: 'x' },
      { loc: ['body', 'temperature'], input: 9, ctx: { limit: 2 } },
    ]);
  });

  test.each([
    ['malformed JSON', '{"name":', 'json_invalid'],
    ['a lone surrogate', '{"name":"\\ud800"}', 'characters'],
  ])('%s is 422', async (_name, raw, type) => {
    const answer = await api.call('PATCH', agent, { raw });
    expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ type, ctx: {} }] }]);
  });

  test('unknown keys beside known ones are ignored', async () => {
    const { status, json } = await api.call('PATCH', agent, { body: { name: 'new', colour: 'red' } });
    expect([status, json['name'], 'colour' in json]).toEqual([200, 'new', false]);
  });

  test('422 comes before the missing agent, 404 is exactly error and message', async () => {
    expect((await api.call('PATCH', '/agents/agt_none', { body: {} })).status).toBe(422);
    const { status, json } = await api.call('PATCH', '/agents/agt_none', { body: { name: 'x' } });
    expect([status, json]).toEqual([404, { error: 'agent_not_found', message: expect.stringContaining('agt_none') }]);
  });

  test('two at once make two versions', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => api.call('PATCH', agent, { body: { name: `n${index}` } })),
    );
    expect(new Set(answers.map(({ json }) => json['version']))).toEqual(new Set([2, 3, 4, 5, 6, 7]));
  });
});

describe('runtime_config', () => {
  const rows: [string, string, object, string[] | undefined][] = [
    ['a script', 'script', script, undefined],
    ['a script with a check', 'script', { ...script, check: { command: 'npm test' } }, undefined],
    ['no steps', 'script', { steps: [], summary: '' }, ['body', 'runtime_config', 'steps']],
    ['a step without run', 'script', { steps: [{}], summary: '' }, ['body', 'runtime_config', 'steps', '0', 'run']],
    ['an unknown key', 'script', { ...script, setp: 1 }, ['body', 'runtime_config', 'setp']],
    ['no summary', 'script', { steps: script.steps }, ['body', 'runtime_config', 'summary']],
    ['a preset', 'acp', { preset: 'codex' }, undefined],
    ['no preset', 'acp', {}, ['body', 'runtime_config', 'preset']],
    ['an unknown preset', 'acp', { preset: 'gpt' }, ['body', 'runtime_config', 'preset']],
    ['custom without a command', 'acp', { preset: 'custom' }, ['body', 'runtime_config', 'command']],
    ['custom with one', 'acp', { preset: 'custom', command: 'my-agent', args: ['--acp'] }, undefined],
    ['the builtin one takes anything', 'builtin', { any: 'thing' }, undefined],
  ];
  test.each(rows)('%s (%s)', async (_name, runtime, runtime_config, loc) => {
    for (const [method, path] of [
      ['POST', '/agents'],
      ['PATCH', agent],
    ] as const) {
      const { status, json } = await api.call(method, path, { body: { name: 'x', runtime, runtime_config } });
      if (loc === undefined) {
        expect(status).toBeLessThan(300);
        expect(json).toMatchObject({ runtime, runtime_config });
      } else {
        expect(status).toBe(422);
        expect(json['detail']).toMatchObject([{ loc, ctx: {} }]);
      }
    }
  });

  test('a change of the runtime alone is held against the config that stays', async () => {
    const { status, json } = await api.call('PATCH', agent, { body: { runtime: 'script' } });
    expect([status, json]).toMatchObject([422, { detail: [{ loc: ['body', 'runtime_config', 'steps'] }, {}] }]);
  });
});

describe('sessions keep the version they began with', () => {
  test('also when the agent is changed or deleted', async () => {
    const id = agent.slice('/agents/'.length);
    await api.call('PATCH', agent, { body: { model: 'one' } });
    const body = { prompt: 'x', agent_id: id };
    const { json } = await api.call('POST', '/v3/organizations/default/sessions', { body });
    expect(json).toMatchObject({ agent_id: id, model: 'one' });
    await api.call('PATCH', agent, { body: { model: 'two' } });
    expect((await api.call('DELETE', agent)).status).toBe(204);
    const path = `/v3/organizations/default/sessions/${String(json['id'])}`;
    expect((await api.call('GET', path)).json).toMatchObject({ agent_id: id, model: 'one' });
    const { rows } = await api.ctx.db.pool.query('select agent_version from sessions where agent_id = $1', [id]);
    expect(rows).toEqual([{ agent_version: 2 }]);
    expect((await api.call('GET', agent)).status).toBe(404);
    expect((await api.call('DELETE', agent)).json['error']).toBe('agent_not_found');
    const again = await api.call('POST', '/v3/organizations/default/sessions', { body });
    expect([again.status, again.json['error']]).toEqual([404, 'agent_not_found']);
  });
});

test('every organization keeps its builtin agent', async () => {
  const { json } = await api.call('GET', '/agents?first=200');
  const builtin = /"id":"(agt_\w+)","name":"builtin"/.exec(JSON.stringify(json))?.[1] ?? '';
  const answer = await api.call('DELETE', `/agents/${builtin}`);
  expect([answer.status, answer.json]).toEqual([409, { error: 'conflict', message: expect.any(String) }]);
  const session = await api.call('POST', '/v3/organizations/default/sessions', { body: { prompt: 'x' } });
  expect(session.json['agent_id']).toBe(builtin);
});

test('runtimes are listed', async () => {
  const { status, json } = await api.call('GET', '/agents/runtimes', { key: await api.keyWith(['org:read']) });
  expect(status).toBe(200);
  const items: unknown[] = Array.isArray(json['items']) ? json['items'] : [];
  for (const item of items)
    expect(Object.keys(Object(item))).toEqual(['id', 'name', 'runtime', 'installed', 'version', 'problem']);
  expect(items).toContainEqual(expect.objectContaining({ id: 'script', installed: true, problem: '' }));
});

test('reading takes org:read, everything else org:write', async () => {
  const key = await api.keyWith(['org:read']);
  expect((await api.call('GET', agent, { key })).status).toBe(200);
  for (const [method, path] of [
    ['POST', '/agents'],
    ['PATCH', agent],
    ['DELETE', agent],
  ] as const) {
    const { status, json } = await api.call(method, path, { key });
    expect([status, json]).toEqual([403, { error: 'forbidden', message: expect.stringContaining('org:write') }]);
  }
});
