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

test('a list is searched for a part of the name, whatever that contains', async () => {
  const named = (name: string) => api.call('POST', '/agents', { body: { name } });
  await Promise.all([named('Nightly 100%'), named('nightly 1000')]);
  const found = async (search: string) => {
    const { json } = await api.call('GET', `/agents?search=${encodeURIComponent(search)}`);
    return [
      JSON.stringify(json['items'])
        .match(/"name":"[^"]+"/g)
        ?.toSorted(),
      json['total'],
    ];
  };
  expect(await found('NIGHTLY')).toEqual([['"name":"Nightly 100%"', '"name":"nightly 1000"'], 2]);
  expect(await found('0%')).toEqual([['"name":"Nightly 100%"'], 1]);
  const page = await api.call('GET', '/agents?first=1&search=nightly');
  const after = String(page.json['end_cursor']);
  expect((await api.call('GET', `/agents?first=1&after=${after}`)).status).toBe(400);
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
