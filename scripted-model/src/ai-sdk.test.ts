import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, streamText, tool, type LanguageModel, type ModelMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { script, startScriptedModel, type ScriptedModel } from './index.ts';

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel();
});
afterAll(() => server.close());

const apiKey = 'unused';
const models: Record<string, (url: string) => LanguageModel> = {
  anthropic: (url) => createAnthropic({ apiKey, baseURL: `${url}/v1` })('m'),
  openai: (url) => createOpenAI({ apiKey, baseURL: `${url}/v1` })('m'),
  google: (url) => createGoogle({ apiKey, baseURL: `${url}/v1beta` })('m'),
  'openai-compatible': (url) =>
    createOpenAICompatible({ name: 'scripted', apiKey, baseURL: `${url}/v1`, includeUsage: true })('m'),
};

describe.each(Object.keys(models))('the AI SDK with %s', (provider) => {
  const commands: string[] = [];
  const options = () => ({
    model: models[provider]?.(server.url) ?? '',
    maxRetries: 0,
    maxOutputTokens: 1_000,
    stopWhen: isStepCount(10),
    tools: {
      bash: tool({
        inputSchema: jsonSchema<{ command: string }>({
          type: 'object',
          properties: { command: { type: 'string' } },
          required: ['command'],
          additionalProperties: false,
        }),
        execute: ({ command }) => {
          commands.push(command);
          return `ran ${command}`;
        },
      }),
    },
  });
  const prompt = () =>
    script([
      { run: 'one', think: 'First one.', text: 'I begin.', usage: { input: 100, output: 10, cached: 40 } },
      { parallel: [{ run: 'two' }, { run: 'three' }] },
    ]);

  test('runs the tools and sees text, reasoning and usage', async () => {
    commands.length = 0;
    const { text, steps } = await generateText({ ...options(), prompt: prompt() });
    expect(commands).toEqual(['one', 'two', 'three']);
    expect(text).toBe('Done.');
    expect(steps[0]).toMatchObject({
      text: 'I begin.',
      reasoningText: 'First one.',
      finishReason: 'tool-calls',
      usage: { inputTokens: 100, outputTokens: 10, inputTokenDetails: { cacheReadTokens: 40 } },
    });
  });

  test('streams the same, and goes on from the messages that it kept', async () => {
    commands.length = 0;
    const asked = { role: 'user' as const, content: prompt() };
    const onError = () => undefined;
    const first = streamText({ ...options(), messages: [asked], stopWhen: isStepCount(1), onError });
    await first.consumeStream();
    expect((await first.steps)[0]).toMatchObject({
      text: 'I begin.',
      reasoningText: 'First one.',
      finishReason: 'tool-calls',
      usage: { inputTokens: 100, outputTokens: 10, inputTokenDetails: { cacheReadTokens: 40 } },
    });
    expect(commands).toEqual(['one']);
    const messages: ModelMessage[] = [asked, ...(await first.responseMessages)];
    const rest = streamText({ ...options(), messages, onError });
    expect(await rest.text).toBe('Done.');
    expect(commands).toEqual(['one', 'two', 'three']);
  });
});
