import { array, assert, asyncProperty, boolean, constantFrom, json, nat, oneof, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireFormat } from './path.ts';
import { createUsageMeter } from './usage.ts';

const sse = (events: (object | string)[], end = '\n'): string =>
  events
    .map((event) => `: 👋${end}data: ${typeof event === 'string' ? event : JSON.stringify(event)}${end}${end}`)
    .join('');

const streams: Record<WireFormat, string> = {
  messages: sse([
    {
      type: 'message_start',
      message: {
        usage: {
          input_tokens: 10,
          cache_read_input_tokens: 20,
          cache_creation_input_tokens: 30,
          cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
          output_tokens: 1,
        },
      },
    },
    { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Grüße 👋' } },
    { type: 'message_delta', usage: { output_tokens: 40 } },
    { type: 'message_stop' },
  ]),
  responses: sse(
    [
      { type: 'response.output_text.delta', delta: 'Grüße 👋' },
      {
        type: 'response.incomplete',
        response: {
          usage: {
            input_tokens: 60,
            input_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
            output_tokens: 40,
          },
        },
      },
    ],
    '\r\n',
  ),
  chat: sse([
    { choices: [{ delta: { content: 'Grüße 👋' } }], usage: null },
    {
      choices: [],
      usage: {
        prompt_tokens: 60,
        prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
        completion_tokens: 40,
      },
    },
    '[DONE]',
  ]),
  contents: sse([
    { candidates: [{ content: { parts: [{ text: 'Grüße 👋' }] } }], usageMetadata: { promptTokenCount: 50 } },
    {
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 50,
        toolUsePromptTokenCount: 10,
        cachedContentTokenCount: 20,
        candidatesTokenCount: 30,
        thoughtsTokenCount: 10,
      },
    },
  ]),
};
const used = { inputTokens: 60, outputTokens: 40, cachedInputTokens: 20 };
const written: Record<WireFormat, object> = {
  messages: { cacheWriteTokens: 30, cacheWriteHourTokens: 20 },
  responses: { cacheWriteTokens: 30, cacheWriteHourTokens: 0 },
  chat: { cacheWriteTokens: 30, cacheWriteHourTokens: 0 },
  contents: { cacheWriteTokens: 0, cacheWriteHourTokens: 0 },
};
const formats = ['messages', 'responses', 'chat', 'contents'] as const;
const eventStream = 'text/event-stream; charset=utf-8';

/** Splits bytes at these positions. */
function pieces(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe.each(formats)('%s', (format) => {
  const bytes = Buffer.from(streams[format]);

  test('are read the same wherever the network cuts them, even within a character', async () => {
    await assert(
      asyncProperty(array(nat(), { maxLength: 30 }), async (cuts) => {
        const meter = createUsageMeter(format, eventStream, true);
        for (const piece of pieces(bytes, cuts)) await meter.push(piece);
        expect(meter.complete).toBe(format !== 'contents');
        expect(await meter.read(true, 999)).toEqual({ ...used, ...written[format] });
      }),
    );
  });

  test('are never complete before their last event, and cost no more than is likely when they end early', async () => {
    await assert(
      asyncProperty(nat({ max: bytes.length - 3 }), async (length) => {
        const meter = createUsageMeter(format, eventStream, true);
        await meter.push(bytes.subarray(0, length));
        expect(meter.complete).toBe(false);
        const count = await meter.read(false, 999);
        expect([0, 60, 50, 999]).toContain(count.inputTokens);
        expect(count.outputTokens).toBeLessThanOrEqual(40);
      }),
    );
  });

  test('do not stumble over anything', async () => {
    const odd = oneof(json(), string(), constantFrom(...formats.flatMap((name) => streams[name].split('\n'))));
    await assert(
      asyncProperty(
        array(odd),
        constantFrom(eventStream, 'application/json', ''),
        boolean(),
        async (lines, type, whole) => {
          const meter = createUsageMeter(format, type, true);
          for (const line of lines) await meter.push(Buffer.from(`data: ${line}\n\n`));
          for (const tokens of Object.values(await meter.read(whole, 999))) {
            expect(tokens).toBeGreaterThanOrEqual(0);
            expect(tokens).toBeLessThan(Infinity);
          }
        },
      ),
    );
  });
});

test("Google's streams without events are one array", async () => {
  const body = [
    { usageMetadata: { promptTokenCount: 1 } },
    { usageMetadata: { promptTokenCount: 60, candidatesTokenCount: 40 } },
  ];
  const meter = createUsageMeter('contents', 'application/json; charset=UTF-8', true);
  for (const piece of pieces(Buffer.from(JSON.stringify(body)), [7, 30])) await meter.push(piece);
  expect(await meter.read(true, 999)).toMatchObject({ inputTokens: 60, outputTokens: 40 });
});

test.each([1e300, 9e15, -1, 'many', null])('%j tokens are not believed: an estimate counts', async (tokens) => {
  const meter = createUsageMeter('chat', 'text/event-stream', true);
  const usage = { prompt_tokens: tokens, completion_tokens: tokens, prompt_tokens_details: { cached_tokens: 1_000 } };
  const answer = sse([{ choices: [{ delta: { content: 'eight so' } }] }, { choices: [], usage }, '[DONE]']);
  await meter.push(Buffer.from(answer));
  expect(await meter.read(true, 999)).toMatchObject({ inputTokens: 999, outputTokens: 2, cachedInputTokens: 999 });
});
