import { script } from '@guildhall/scripted-model';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openModelWorld, startProvider } from '../../../../test/support/models.ts';
import type { Sandbox } from '../../sandbox/port.ts';
import { openStage, runTurn, type Seat, type Stage } from './builtin-fixture.ts';

let stage: Stage;
let sandbox: Sandbox;

beforeAll(async () => {
  stage = await openStage();
  sandbox = await stage.sandbox();
});

afterAll(() => stage.close());

const thinking = script([{ think: 'Hm, a file.', text: 'Let me see.', run: 'echo hi' }], { say: 'Seen.' });

describe('what is sent', () => {
  test('to Anthropic is marked for its cache, and reasoning goes back with its signature', async () => {
    await runTurn(await stage.seat(sandbox), thinking);
    const body = stage.model.requests.at(-1)?.body;
    const mark = { type: 'ephemeral' };
    expect(body?.['system']).toMatchObject([{ cache_control: mark }]);
    expect(body).toMatchObject({
      stream: true,
      messages: [
        { role: 'user', content: [{ cache_control: mark }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm, a file.', signature: expect.stringMatching(/./) },
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', name: 'shell' },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', cache_control: mark }] },
      ],
    });
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3);
  });

  test('to OpenAI is not kept there, and reasoning goes back encrypted', async () => {
    await runTurn(await stage.seat(sandbox, { model: stage.agentModel('openai', { name: 'gpt-5' }) }), thinking);
    const body = stage.model.requests.at(-1)?.body;
    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(body?.['input']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'reasoning', encrypted_content: expect.stringMatching(/./) }),
        expect.objectContaining({ type: 'function_call', name: 'shell' }),
      ]),
    );
  });

  test('holds what the agent and its settings say, and never an address or key', async () => {
    const settings = { systemPrompt: 'Mind the heron.', maxTokens: 321, temperature: 0.25 };
    const model = stage.agentModel('openai_compatible');
    await runTurn(await stage.seat(sandbox, { model, settings }), script([], { say: 'Hi.' }));
    const request = stage.model.requests.at(-1);
    expect(request?.body).toMatchObject({
      max_tokens: 321,
      temperature: 0.25,
      stream_options: { include_usage: true },
    });
    const text = JSON.stringify(request?.body);
    expect(text).toContain('Mind the heron.');
    expect(text).not.toContain(model.headers['authorization']?.replace('Bearer ', ''));
  });
});

type Frame = { type: string } & Record<string, unknown>;

/** Returns an answer of Anthropic, frame by frame. */
function message(stopReason: string, ...content: Frame[]): Frame[] {
  return [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 5, output_tokens: 1 },
      },
    },
    ...content,
    { type: 'message_delta', delta: { stop_reason: stopReason }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
}

function textBlock(text: string): Frame[] {
  return [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
  ];
}

function callBlock(id: string, name: string, json: string): Frame[] {
  return [
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id, name, input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } },
    { type: 'content_block_stop', index: 0 },
  ];
}

/** Runs a turn with these answers of Anthropic, one for each call. */
async function answered(
  ...answers: Frame[][]
): Promise<{ seat: Seat; bodies: Record<string, unknown>[]; result: Awaited<ReturnType<typeof runTurn>> }> {
  const directory = await mkdtemp(join(tmpdir(), 'builtin-wire-'));
  const provider = await startProvider((response, { request: _request }) => {
    const frames = answers[provider.asked.length - 1] ?? message('end_turn', ...textBlock('End.'));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join(''));
  });
  const world = await openModelWorld({ url: provider.url, directory });
  try {
    const { url, headers } = world.endpoint.hostModel('anthropic');
    const seat = await stage.seat(sandbox, { model: stage.agentModel('anthropic', { url, headers }) });
    return { seat, result: await runTurn(seat, 'Go.'), bodies: provider.asked.map(({ body }) => body) };
  } finally {
    await world.close();
    await provider.close();
    await rm(directory, { recursive: true, force: true });
  }
}

describe('an answer', () => {
  test('whose call is no JSON gets an error result, and a valid conversation goes on', async () => {
    const { seat, result, bodies } = await answered(
      message('tool_use', ...callBlock('toolu_1', 'shell', '{"command": "ls')),
    );
    expect(result).toEqual({ stopReason: 'end_turn', summary: 'End.' });
    expect(seat.of('tool_result')).toMatchObject([
      { callId: 'toolu_1', ok: false, output: expect.stringContaining('not valid') },
    ]);
    expect(bodies[1]).toMatchObject({
      messages: [
        {},
        { content: [{ type: 'tool_use', id: 'toolu_1', input: {} }] },
        { content: [{ type: 'tool_result', is_error: true }] },
      ],
    });
  });

  test('whose call was cut by the output limit says so to the model', async () => {
    const { seat, result } = await answered(
      message('max_tokens', ...callBlock('toolu_1', 'write', '{"path": "a", "content": "x')),
    );
    expect(result.stopReason).toBe('end_turn');
    expect(seat.of('tool_result')).toMatchObject([{ ok: false, output: expect.stringContaining('smaller calls') }]);
  });

  test('that the provider refuses to give ends the turn as refused', async () => {
    const { seat, result } = await answered(message('refusal', ...textBlock('I cannot')));
    expect(result).toEqual({ stopReason: 'refused', summary: 'I cannot' });
    expect(seat.of('message').at(-1)?.done).toBe(true);
  });

  test('that gives two calls the same id keeps them apart', async () => {
    const { seat, result } = await answered(
      message('tool_use', ...callBlock('call_0', 'shell', '{"command": "echo one"}')),
      message('tool_use', ...callBlock('call_0', 'shell', '{"command": "echo two"}')),
    );
    expect(result.stopReason).toBe('end_turn');
    expect(new Set(seat.of('tool_call').map(({ callId }) => callId)).size).toBe(2);
    expect(seat.of('tool_result').map(({ output }) => String(output).split('\n')[0])).toEqual(['one', 'two']);
  });

  test.each([
    { name: 'functions.shell', kept: 'functions_shell' },
    { name: `a\n${'b'.repeat(200_000)}`, kept: `a_${'b'.repeat(62)}` },
    { name: '', kept: 'unnamed' },
  ])('that calls $kept goes on with a name that providers accept', async ({ name, kept }) => {
    const id = 'i'.repeat(200_000);
    const { seat, result, bodies } = await answered(message('tool_use', ...callBlock(id, name, '{}')));
    expect(result.stopReason).toBe('end_turn');
    expect(seat.of('tool_call')).toMatchObject([{ name: kept, callId: expect.stringMatching(/^call_[\w-]{36}$/) }]);
    expect(seat.of('tool_result')).toMatchObject([{ ok: false, output: expect.stringContaining('no tool') }]);
    expect(JSON.stringify(seat.records).length).toBeLessThan(5_000);
    expect(bodies[1]).toMatchObject({ messages: [{}, { content: [{ type: 'tool_use', name: kept }] }, {}] });
  });

  test('with more calls than anybody needs runs none of them, and is asked for again', async () => {
    const calls = Array.from({ length: 201 }, (_, at) => callBlock(`toolu_${at}`, 'shell', '{"command": "touch ran"}'));
    const { seat, result } = await answered(message('tool_use', ...calls.flat()));
    expect(result).toEqual({ stopReason: 'end_turn', summary: 'End.' });
    expect(seat.of('warning')).toMatchObject([{ message: expect.stringContaining('more than 200 tools') }]);
    expect(seat.of('tool_call')).toEqual([]);
  });

  test('in which the provider fails is asked for again', async () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const { seat, result } = await answered([...message('end_turn', ...textBlock('Half of')).slice(0, 3), overloaded]);
    expect(result).toEqual({ stopReason: 'end_turn', summary: 'End.' });
    expect(seat.of('warning')).toHaveLength(1);
    expect(seat.records.filter(({ type }) => type === 'assistant')).toHaveLength(1);
  });
});
