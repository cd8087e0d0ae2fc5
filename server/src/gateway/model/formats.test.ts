import { script, startScriptedModel, type ScriptedModel, type Step } from '@guildhall/scripted-model';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createScratch } from '../../../test/support/gateway.ts';
import { askModel, openModelWorld, type ModelWorldOptions } from '../../../test/support/models.ts';
import type { ModelKind } from '../../lib/models.ts';

let model: ScriptedModel;
let scratch: Awaited<ReturnType<typeof createScratch>>;

beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

beforeEach(async () => {
  scratch = await createScratch();
});
afterEach(() => scratch.dispose());

const open = (options: Partial<ModelWorldOptions> = {}) =>
  scratch.closing(openModelWorld({ url: model.url, directory: scratch.path, ...options }));

interface Format {
  name: string;
  provider: ModelKind;
  model: string;
  path: (stream: boolean) => string;
  body: (prompt: string, stream: boolean) => Record<string, unknown>;
}

const path = (value: string) => () => value;
const formats: Format[] = [
  {
    name: 'messages',
    provider: 'anthropic',
    model: 'claude-sonnet-5',
    path: path('/v1/messages'),
    body: (content, stream) => ({
      model: 'claude-sonnet-5',
      max_tokens: 10_000,
      stream,
      messages: [{ role: 'user', content }],
    }),
  },
  {
    name: 'responses',
    provider: 'openai',
    model: 'gpt-6-sol',
    path: path('/v1/responses'),
    body: (content, stream) => ({ model: 'gpt-6-sol', stream, input: [{ role: 'user', content }] }),
  },
  {
    name: 'chat completions',
    provider: 'openai_compatible',
    model: 'qwen3',
    path: path('/v1/chat/completions'),
    body: (content, stream) => ({ model: 'qwen3', stream, messages: [{ role: 'user', content }] }),
  },
  {
    name: 'contents',
    provider: 'google',
    model: 'gemini-3.8-flash',
    path: (stream) => `/v1beta/models/gemini-3.8-flash:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
];

const prices = new Map([['openai_compatible/qwen3', { input: 1, output: 1 }]]);
const usage = { input: 12_345, output: 678, cached: 2_345 };

/** All four formats, streamed and not. */
const cases = formats.flatMap((format) => [
  { ...format, stream: true, how: 'streamed' },
  { ...format, stream: false, how: 'whole' },
]);

describe.each(cases)('$name, $how', ({ provider, model: name, stream, ...format }) => {
  const ask = async (world: Awaited<ReturnType<typeof open>>, steps: Step[], id?: string) =>
    askModel(world, provider, format.path(stream), format.body(script(steps, id === undefined ? {} : { id }), stream));

  test('what the provider reports is settled before the client sees the end', async () => {
    const world = await open({ prices });
    const answer = await ask(world, [{ say: 'Hello 👋 world', think: 'Shall I?', usage }]);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(world.settled).toEqual([
      {
        inputTokens: 12_345,
        outputTokens: 678,
        cachedInputTokens: 2_345,
        cacheWriteTokens: 0,
        costUsd: expect.any(Number),
        priceSource: provider === 'openai_compatible' ? 'operator' : 'published',
      },
    ]);
    expect(world.settled[0]?.costUsd).toBeGreaterThan(0.001);
    expect(world.calls[0]?.model).toBe(`${provider}/${name}`);
    expect(text).toMatch(stream ? /data: .*👋/ : /^\{.*Hello 👋 world.*\}$/s);
  });

  test('the bytes are those of the provider', async () => {
    const world = await open();
    const steps = [{ say: 'Grüße 👋 '.repeat(2_000), usage }];
    const through = await (await ask(world, steps, 'same')).text();
    const direct = await fetch(`${model.url}${format.path(stream)}`, {
      method: 'POST',
      body: JSON.stringify({
        ...format.body(script(steps, { id: 'same' }), stream),
        ...(provider === 'openai_compatible' && stream ? { stream_options: { include_usage: true } } : {}),
      }),
    });
    const stampless = (text: string) => text.replaceAll(/"created(_at)?":\d+/g, '');
    expect(stampless(through)).toBe(stampless(await direct.text()));
  });

  test.each([429, 500])('an error %i uses nothing', async (status) => {
    const world = await open();
    const answer = await ask(world, [{ say: 'Later', fault: { status, retry_after: 3 } }]);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe('3');
    expect(await answer.text()).toContain(`status ${status}`);
    expect(world.settled).toEqual([
      {
        inputTokens: 0,
        outputTokens: 0,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        costUsd: 0,
        priceSource: provider === 'openai_compatible' ? 'none' : 'published',
      },
    ]);
  });

  test('a cut response fails for the client, and is settled with known or estimated usage', async () => {
    const world = await open();
    const answer = await ask(world, [{ say: 'word '.repeat(300), usage, fault: { cut: stream ? 200 : 600 } }]);
    await expect(answer.text()).rejects.toThrow('terminated');
    const [settled, ...more] = world.settled;
    expect(more).toEqual([]);
    const reportsInput = stream && ['anthropic', 'google'].includes(provider);
    expect(settled?.inputTokens).toBe(reportsInput ? 12_345 : world.calls[0]?.inputTokens);
    expect(settled?.outputTokens).toBeGreaterThan(100);
    expect(settled?.outputTokens).toBeLessThan(300);
  });

  test('nonsense passes, and counts as the answer that it was charged as', async () => {
    const world = await open();
    const answer = await ask(world, [{ say: 'Hello', fault: { nonsense: true } }]);
    expect(await answer.text()).toContain('It works!');
    expect(world.settled).toMatchObject([{ inputTokens: world.calls[0]?.inputTokens }]);
  });

  test('an empty answer is settled with what it reports', async () => {
    const world = await open();
    await (await ask(world, [{ say: 'Hello', usage, fault: { empty: true } }])).text();
    expect(world.settled).toMatchObject([{ inputTokens: 12_345, outputTokens: 0, cachedInputTokens: 2_345 }]);
  });

  test('a permit bounds the answer', async () => {
    const world = await open({ permit: { maxOutputTokens: 5 } });
    await (await ask(world, [{ tokens: 100 }])).text();
    expect(world.settled).toMatchObject([{ outputTokens: 5 }]);
  });
});
