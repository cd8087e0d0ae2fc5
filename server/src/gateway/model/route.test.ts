import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { json as jsonOf } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { askModel, modelWorlds, operatorKey, providerAt } from '../../../test/support/models.ts';

import { createMask } from '../../lib/mask/mask.ts';
import { modelKinds, type ModelKind } from '../../lib/models.ts';

const { provide, open } = modelWorlds();

const message = { model: 'claude-sonnet-5', max_tokens: 1_000, messages: [{ role: 'user', content: 'Hello' }] };
const answered = { type: 'message', content: [], usage: { input_tokens: 100, output_tokens: 20 } };
const none = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
  priceSource: 'published',
};

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

describe('who may ask', () => {
  test('the worker asks a model by an address that only the door knows', async () => {
    const provider = await provide((response) => json(response, answered));
    const world = await open(provider);
    const answer = await askModel(world, 'anthropic', '/v1/messages', message);
    expect(await answer.json()).toEqual(answered);
    expect(provider.asked[0]?.body).toEqual(message);
    expect(world.calls).toEqual([
      {
        model: 'anthropic/claude-sonnet-5',
        inputTokens: Math.ceil(JSON.stringify(message).length / 3),
        maxOutputTokens: 1_000,
        price: { input: 2e-6, output: 10e-6 },
      },
    ]);
    expect(world.settled).toEqual([
      {
        inputTokens: 100,
        outputTokens: 20,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        costUsd: 0.0004,
        priceSource: 'published',
      },
    ]);
    const stranger = await fetch(`${world.endpoint.hostModel('anthropic').url}/v1/messages`, {
      method: 'POST',
      body: '{}',
    });
    expect(stranger.status).toBe(403);
    expect(provider.asked).toHaveLength(1);
  });

  test('a sandbox has models only where the session says so', async () => {
    const provider = await provide((response) => json(response, answered));
    const ask = (inside: string) =>
      fetch(`${inside}/model/anthropic/v1/messages`, { method: 'POST', body: JSON.stringify(message) });
    const closed = await open(provider);
    const refused = await ask(closed.inside);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('x-guildhall-refused')).toBe('model');
    expect(await refused.json()).toMatchObject({ error: { type: 'permission_error', message: expect.any(String) } });
    expect(closed.events).toMatchObject([{ kind: 'refused', reason: 'model', target: '/model/anthropic/v1/messages' }]);
    expect(provider.asked).toEqual([]);
    const opened = await open(provider, { session: { modelsInside: true } });
    expect((await ask(opened.inside)).status).toBe(200);
    expect(opened.settled).toHaveLength(1);
    expect(opened.events).toEqual([]);
  });

  test('a provider is told no secret, in whatever text of the conversation it is, and its own words stay', async () => {
    const provider = await provide((response) => json(response, answered));
    const mask = createMask(['hidden-value', 'tool_result']);
    const world = await open(provider, { session: { mask: () => mask } });
    const content = [{ type: 'tool_result', tool_use_id: 't1', content: 'it is hidden-value' }];
    const body = { ...message, system: 'Know hidden-value.', messages: [{ role: 'user', content }] };
    expect((await askModel(world, 'anthropic', '/v1/messages', body)).status).toBe(200);
    const told = [{ type: 'tool_result', tool_use_id: 't1', content: 'it is ********' }];
    expect(provider.asked[0]?.body).toEqual({
      ...message,
      system: 'Know ********.',
      messages: [{ role: 'user', content: told }],
    });
  });

  test('a session without models has none, from wherever it asks', async () => {
    const provider = await provide((response) => json(response, answered));
    const world = await open(provider, { session: { permitModel: undefined, modelsInside: true } });
    expect((await askModel(world, 'anthropic', '/v1/messages', message)).status).toBe(403);
    expect((await fetch(`${world.inside}/model/anthropic/v1/messages`, { method: 'POST' })).status).toBe(403);
    expect(provider.asked).toEqual([]);
  });

  test.each([
    ['anthropic', '/v1/files'],
    ['anthropic', '/v1/messages/batches'],
    ['anthropic', '/v1/models'],
    ['openai', '/v1/embeddings'],
    ['openai', '/v1/responses/resp_1'],
    ['openai_compatible', '/v1/responses'],
    ['google', '/v1beta/models/gemini-3.8-flash:embedContent'],
    ['google', '/v1beta/models/a%2Fb:generateContent'],
    ['google', '/v1/models/gemini-3.8-flash:generateContent'],
  ] as const)('of %s nothing but what is listed is served: %s', async (id, path) => {
    const provider = await provide((response) => json(response, answered));
    const world = await open(provider);
    const answer = await askModel(world, id, `${path}?key=hunter2`, message);
    expect(answer.status).toBe(404);
    expect(world.events).toMatchObject([{ reason: 'model', target: `/model/${id}${path}` }]);
    expect(provider.asked).toEqual([]);
    expect(world.calls).toEqual([]);
  });

  test('a method, a provider and a body that cannot be served are refused without a call', async () => {
    const provider = await provide((response) => json(response, answered));
    const world = await open(provider);
    const { url, headers } = world.endpoint.hostModel('anthropic');
    expect((await fetch(`${url}/v1/messages`, { headers })).status).toBe(405);
    expect(
      (await fetch(url.replace('anthropic', 'mistral') + '/v1/messages', { method: 'POST', headers })).status,
    ).toBe(404);
    for (const body of [
      '',
      'nonsense',
      '[]',
      '{}',
      '{"model":7}',
      '{"model":"a","max_tokens":"9"}',
      '{"model":"a","n":2}',
    ])
      expect((await askModel(world, 'openai_compatible', '/v1/chat/completions', body)).status, body).toBe(400);
    expect((await askModel(world, 'openai', '/v1/responses', { model: 'a', background: true })).status).toBe(400);
    const compressed = { headers: { 'content-encoding': 'gzip' } };
    const zipped = gzipSync(JSON.stringify(message));
    expect((await askModel(world, 'anthropic', '/v1/messages', zipped, compressed)).status).toBe(415);
    expect(provider.asked).toEqual([]);
    expect(world.calls).toEqual([]);
  });

  test('a provider that the session has not is refused, and told', async () => {
    const provider = await provide((response) => json(response, answered));
    const world = await open(provider, { providers: [providerAt(provider.url, 'anthropic')] });
    const answer = await askModel(world, 'google', '/v1beta/models/gemini-3.8-flash:generateContent', {});
    expect([answer.status, answer.headers.get('x-guildhall-refused')]).toEqual([404, 'model']);
    expect(world.events).toMatchObject([
      { reason: 'model', message: expect.stringContaining('no such model provider') },
    ]);
    expect(provider.asked).toEqual([]);
  });

  test('a model that the session may not use is refused, and told', async () => {
    const provider = await provide((response) => json(response, answered));
    const refusal = async (model: string) => (model === 'anthropic/claude-opus' ? 'No opus here.' : '');
    const providers = [providerAt(provider.url, 'anthropic')];
    const world = await open(provider, { session: { models: { providers, prices: new Map(), refusal } } });
    const refused = await askModel(world, 'anthropic', '/v1/messages', { ...message, model: 'claude-opus' });
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { message: 'No opus here.' } }]);
    expect(world.events).toMatchObject([{ reason: 'model', message: 'No opus here.' }]);
    expect([provider.asked, world.calls]).toEqual([[], []]);
    expect((await askModel(world, 'anthropic', '/v1/messages', message)).status).toBe(200);
  });

  test.each(['announced', 'in chunks'])('a body above 32 MiB, %s, is refused', async (how) => {
    const provider = await provide((response) => json(response, answered));
    const world = await open(provider);
    const { url, headers } = world.endpoint.hostModel('anthropic');
    const size = how === 'announced' ? { 'content-length': 32 * 1024 * 1024 + 1 } : {};
    const request = httpRequest(`${url}/v1/messages`, { method: 'POST', headers: { ...headers, ...size } });
    if (how === 'announced') request.flushHeaders();
    else for (let sent = 0; sent <= 32; sent += 1) request.write(Buffer.alloc(1024 * 1024, ' '));
    const [answer] = await once(request, 'response');
    expect(answer.statusCode).toBe(413);
    request.destroy();
    expect(provider.asked).toEqual([]);
    expect(world.calls).toEqual([]);
  });

  test('bodies under way have 64 MiB together: another one is 429, until one of them is gone', async () => {
    const provider = await provide((response) => json(response, answered));
    const world = await open(provider);
    const { url, headers } = world.endpoint.hostModel('anthropic');
    const begin = () => {
      const request = httpRequest(`${url}/v1/messages`, { method: 'POST', headers, agent: false });
      const answer = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
      request.on('error', () => undefined).write(Buffer.alloc(30 * 1024 * 1024, ' '));
      return { request, answer };
    };
    const held = [begin(), begin(), begin()];
    const refused = await Promise.any(held.map(({ answer }) => answer));
    expect(refused.statusCode).toBe(429);
    expect(await jsonOf(refused)).toMatchObject({
      error: { message: expect.stringContaining('64 MiB') },
    });
    for (const { request } of held) request.destroy();
    await expect.poll(async () => (await askModel(world, 'anthropic', '/v1/messages', message)).status).toBe(200);
  });
});

describe('what a provider would fetch or run itself', () => {
  const chat = (part: object) => ({ model: 'a', messages: [{ role: 'user', content: [part] }] });
  const gemini = (part: object) => ({ contents: [{ parts: [part] }] });
  const geminiPath = '/v1beta/models/a:generateContent';
  const image = { type: 'image', source: { type: 'url', url: 'http://x' } };
  const reaching: [ModelKind, string, object][] = [
    ['anthropic', '/v1/messages', { ...message, mcp_servers: [{ url: 'http://x' }] }],
    ['anthropic', '/v1/messages', { ...message, tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
    ['anthropic', '/v1/messages', { ...message, messages: [{ role: 'user', content: [image] }] }],
    ['anthropic', '/v1/messages', { ...message, messages: [{ content: [{ type: 'tool_result', content: [image] }] }] }],
    ['anthropic', '/v1/messages/count_tokens', { ...message, messages: [{ content: [image] }] }],
    ['openai', '/v1/responses', { model: 'a', tools: [{ type: 'mcp', server_url: 'http://x' }] }],
    ['openai', '/v1/responses', { model: 'a', tools: [{ type: 'namespace', tools: [{ type: 'web_search' }] }] }],
    ['openai', '/v1/responses', { model: 'a', input: [{ content: [{ type: 'input_file', file_url: 'http://x' }] }] }],
    ['openai', '/v1/responses', { model: 'a', input: [{ output: [{ type: 'input_image', image_url: 'http://x' }] }] }],
    ['openai_compatible', '/v1/chat/completions', { model: 'a', web_search_options: {} }],
    ['openai_compatible', '/v1/chat/completions', chat({ type: 'image_url', image_url: { url: 'http://x' } })],
    ['google', geminiPath, { contents: [], tools: [{ urlContext: {} }] }],
    ['google', geminiPath, gemini({ fileData: { fileUri: 'http://x' } })],
    ['google', geminiPath, gemini({ functionResponse: { parts: [{ file_data: { file_uri: 'http://x' } }] } })],
  ];

  test.each(reaching)('is not to be had in a sandbox with restricted network: %s%s %j', async (id, path, body) => {
    const provider = await provide((response) => json(response, {}));
    const world = await open(provider, { session: { modelsInside: true, network: 'registries' } });
    const ask = () => fetch(`${world.inside}/model/${id}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const answer = await ask();
    expect(answer.status).toBe(403);
    expect(answer.headers.get('x-guildhall-refused')).toBe('model');
    expect(world.events).toMatchObject([{ reason: 'model', target: `/model/${id}${path}` }]);
    expect(provider.asked).toEqual([]);
    world.endpoint.setNetwork('open');
    expect((await ask()).status).toBe(200);
    world.endpoint.setNetwork('none');
    expect((await askModel(world, id, path, body)).status).toBe(200);
  });

  test('is not what an agent in a sandbox does every day', async () => {
    const provider = await provide((response) => json(response, {}));
    const world = await open(provider, { session: { modelsInside: true } });
    const call = {
      type: 'tool_use',
      id: 'a',
      name: 'open',
      input: { url: 'http://x', image_url: 'http://x', type: 'url' },
    };
    const png = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const tools = [
      { name: 'open', input_schema: {} },
      { type: 'bash_20250124', name: 'bash' },
    ];
    const part = { type: 'image', source: png };
    const functions = [{ type: 'function', function: { name: 'a' } }];
    const bodies: [ModelKind, string, object][] = [
      ['anthropic', '/v1/messages', { ...message, tools, messages: [{ role: 'assistant', content: [call, part] }] }],
      [
        'openai',
        '/v1/responses',
        { model: 'a', tools: [{ type: 'custom' }, { type: 'local_shell' }], input: 'see http://x' },
      ],
      [
        'openai_compatible',
        '/v1/chat/completions',
        { ...chat({ type: 'image_url', image_url: { url: 'data:image/png;base64,A' } }), tools: functions },
      ],
      [
        'google',
        geminiPath,
        {
          ...gemini({ functionCall: { args: { fileData: { fileUri: 'http://x' } } } }),
          tools: [{ functionDeclarations: [] }],
        },
      ],
    ];
    for (const [id, path, body] of bodies) {
      const answer = await fetch(`${world.inside}/model/${id}${path}`, { method: 'POST', body: JSON.stringify(body) });
      expect(answer.status, id).toBe(200);
    }
    expect(world.events).toEqual([]);
  });
});

describe('credentials', () => {
  const credentials = {
    anthropic: 'x-api-key',
    openai: 'authorization',
    openai_compatible: 'authorization',
    google: 'x-goog-api-key',
  } as const;
  const paths = {
    anthropic: '/v1/messages',
    openai: '/v1/responses',
    openai_compatible: '/v1/chat/completions',
    google: '/v1beta/models/gemini-3.8-flash:generateContent',
  } as const;

  test.each(modelKinds)("of %s are the operator's own, and none of the client's pass", async (id) => {
    const provider = await provide((response) => json(response, {}));
    const world = await open(provider);
    const mine = { 'x-api-key': 'mine', 'x-goog-api-key': 'mine', 'api-key': 'mine', cookie: 'a=mine' };
    const versions = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b', 'x-goog-fieldmask': 'candidates' };
    const path = `${paths[id]}?key=mine&access_token=mine&fields=candidates&beta=true`;
    await askModel(world, id, path, message, { headers: { ...mine, ...versions } });
    const { request } = provider.asked[0] ?? expect.fail('not asked');
    const sent = { ...request.headers };
    const bearer = credentials[id] === 'authorization' ? 'Bearer ' : '';
    expect(sent[credentials[id]]).toBe(`${bearer}${operatorKey}`);
    expect(sent).toMatchObject({ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' });
    expect(sent['x-goog-fieldmask']).toBeUndefined();
    expect(JSON.stringify([request.url, request.rawHeaders])).not.toMatch(/mine|fields/);
    expect(request.url).toBe(`${paths[id]}?beta=true`);
  });

  test('a server that needs none gets none', async () => {
    const provider = await provide((response) => json(response, {}));
    const world = await open(provider, { key: '' });
    await askModel(world, 'openai_compatible', '/v1/chat/completions', { model: 'qwen3' });
    expect(provider.asked[0]?.request.headers.authorization).toBeUndefined();
  });

  test.each([200, 400, 500])(
    'a key that the provider repeats in an answer with status %i is masked',
    async (status) => {
      const provider = await provide((response) => {
        response.writeHead(status, { 'content-type': 'text/event-stream' });
        // In two pieces, with a false beginning of it.
        response.write(`data: {"a":"sk-the-${operatorKey.slice(0, 9)}`);
        setImmediate(() => response.end(`${operatorKey.slice(9)} and ${operatorKey}!"}\n\nsk-the`));
      });
      const world = await open(provider);
      const answer = await askModel(world, 'anthropic', '/v1/messages', { ...message, stream: true });
      expect(answer.status).toBe(status);
      expect(await answer.text()).toBe('data: {"a":"sk-the-******** and ********!"}\n\nsk-the');
    },
  );

  test.each([401, 403])('a key that is refused with %i is a matter for the operator', async (status) => {
    const provider = await provide((response) => json(response, { error: `no ${operatorKey}` }, status));
    const world = await open(provider);
    const answer = await askModel(world, 'anthropic', '/v1/messages', message);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      type: 'error',
      error: {
        message: 'The provider anthropic rejected the configured API key. Ask an administrator to replace it.',
      },
    });
    expect(answer.headers.get('x-guildhall-provider-status')).toBe(String(status));
    expect(world.settled).toEqual([none]);
  });
});

describe('a permit', () => {
  test.each([
    ['lease', 409, 'model_lease'],
    ['budget', 402, 'budget'],
  ] as const)('that is refused for the %s makes no call', async (reason, status, refusal) => {
    const provider = await provide((response) => json(response, answered));
    const world = await open(provider, { permit: { allowed: false, reason, message: 'Not now.' } });
    const answer = await askModel(world, 'anthropic', '/v1/messages', message);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-guildhall-refused')).toBe(refusal);
    expect(await answer.json()).toMatchObject({ error: { message: 'Not now.' } });
    expect(provider.asked).toEqual([]);
    expect(world.events).toEqual([]);
  });

  test('that cannot be asked for makes no call', async () => {
    const provider = await provide((response) => json(response, answered));
    const world = await open(provider, { session: { permitModel: () => Promise.reject(new Error('no database')) } });
    const answer = await askModel(world, 'anthropic', '/v1/messages', message);
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain('database');
    expect(provider.asked).toEqual([]);
  });

  test('tokens are counted without one, but not for a run that lost its session', async () => {
    const provider = await provide((response) => json(response, { input_tokens: 9 }));
    const world = await open(provider);
    const count = { model: 'claude-sonnet-5', messages: [] };
    const answer = await askModel(world, 'anthropic', '/v1/messages/count_tokens', count);
    expect(await answer.json()).toEqual({ input_tokens: 9 });
    expect(world.calls).toEqual([]);
    expect(world.settled).toEqual([]);
    const lost = await open(provider, { session: { holds: () => Promise.resolve(false) } });
    const refused = await askModel(lost, 'anthropic', '/v1/messages/count_tokens', count);
    expect(refused.status).toBe(409);
    expect(refused.headers.get('x-guildhall-refused')).toBe('model_lease');
    expect(provider.asked).toHaveLength(1);
  });

  test.each([
    ['anthropic', '/v1/messages', { model: 'a', max_tokens: 900 }, { model: 'a', max_tokens: 500 }],
    ['anthropic', '/v1/messages', { model: 'a', max_tokens: 300 }, { model: 'a', max_tokens: 300 }],
    ['openai', '/v1/responses', { model: 'a' }, { model: 'a', max_output_tokens: 500 }],
    ['openai', '/v1/chat/completions', { model: 'a' }, { model: 'a', max_completion_tokens: 500 }],
    ['openai', '/v1/chat/completions', { model: 'a', max_tokens: 9e9 }, { model: 'a', max_tokens: 500 }],
    ['openai_compatible', '/v1/chat/completions', { model: 'a', max_tokens: null }, { model: 'a', max_tokens: 500 }],
    [
      'openai_compatible',
      '/v1/chat/completions',
      { model: 'a', max_tokens: 9, max_completion_tokens: 900 },
      { model: 'a', max_tokens: 9, max_completion_tokens: 500 },
    ],
    ['google', '/v1beta/models/a:generateContent', {}, { generationConfig: { maxOutputTokens: 500 } }],
    [
      'google',
      '/v1beta/models/a:generateContent',
      { generation_config: { max_output_tokens: 900, temperature: 0 } },
      { generation_config: { max_output_tokens: 500, temperature: 0 } },
    ],
  ] as const)('bounds what %s may answer: %s %j', async (id, path, sent, received) => {
    const provider = await provide((response) => json(response, {}));
    const world = await open(provider, { permit: { maxOutputTokens: 500.5 } });
    await askModel(world, id, path, sent);
    expect(provider.asked[0]?.body).toEqual(received);
  });

  test('without a bound leaves the request as it is', async () => {
    const provider = await provide((response) => json(response, {}));
    const world = await open(provider);
    const body = { model: 'a', messages: [{ role: 'user', content: 'é 😀 \u0000' }], temperature: 0 };
    await askModel(world, 'openai_compatible', '/v1/chat/completions', body);
    expect(provider.asked[0]?.body).toEqual(body);
  });

  test('keeps the thinking of Anthropic below its bound', async () => {
    const provider = await provide((response) => json(response, {}));
    const thinking = { type: 'enabled', budget_tokens: 8_000 };
    const body = { ...message, max_tokens: 9_000, thinking };
    await askModel(await open(provider, { permit: { maxOutputTokens: 5_000 } }), 'anthropic', '/v1/messages', body);
    await askModel(await open(provider, { permit: { maxOutputTokens: 1_000 } }), 'anthropic', '/v1/messages', body);
    expect(provider.asked.map(({ body: sent }) => sent)).toMatchObject([
      { max_tokens: 5_000, thinking: { type: 'enabled', budget_tokens: 4_999 } },
      { max_tokens: 1_000, thinking: { type: 'disabled' } },
    ]);
  });

  test('is asked with an estimate in which the bytes of images do not count', async () => {
    const provider = await provide((response) => json(response, {}));
    const world = await open(provider);
    const data = 'A'.repeat(300_000);
    const estimate = async (id: ModelKind, path: string, body: unknown): Promise<number> => {
      await askModel(world, id, path, body);
      return world.calls.at(-1)?.inputTokens ?? 0;
    };
    const chat = (url: string) => ({
      model: 'a',
      messages: [{ content: [{ type: 'image_url', image_url: { url } }] }],
    });
    const source = { type: 'base64', media_type: 'image/png', data };
    const bodies = [
      ['openai_compatible', '/v1/chat/completions', chat(`data:image/png;base64,${data}`)],
      ['anthropic', '/v1/messages', { ...message, messages: [{ content: [{ type: 'image', source }] }] }],
      [
        'google',
        '/v1beta/models/a:generateContent',
        { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data } }] }] },
      ],
    ] as const;
    for (const [id, path, body] of bodies) {
      const tokens = await estimate(id, path, body);
      expect(tokens).toBeGreaterThan(1_500);
      expect(tokens).toBeLessThan(2_000);
    }
    expect(await estimate('openai_compatible', '/v1/chat/completions', chat(data))).toBeGreaterThan(100_000);
  });

  test('names the price that the operator set, and the cost follows it', async () => {
    const provider = await provide((response) =>
      json(response, {
        usage: { prompt_tokens: 1_000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } },
      }),
    );
    const prices = new Map([['openai_compatible/qwen3', { input: 2, output: 10, cached_input: 0.5 }]]);
    const world = await open(provider, { prices });
    for (const model of ['qwen3', 'other'])
      await (await askModel(world, 'openai_compatible', '/v1/chat/completions', { model })).text();
    expect(world.calls.map(({ price }) => price)).toEqual([{ input: 2e-6, output: 10e-6 }, undefined]);
    const used = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400, cacheWriteTokens: 0 };
    expect(world.settled).toEqual([
      { ...used, costUsd: 0.0024, priceSource: 'operator' },
      { ...used, costUsd: 0, priceSource: 'none' },
    ]);
  });
});
