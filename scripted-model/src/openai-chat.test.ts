import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { script, startScriptedModel, type ScriptedModel } from './index.ts';

let server: ScriptedModel;
let client: OpenAI;

beforeAll(async () => {
  server = await startScriptedModel();
  client = new OpenAI({ apiKey: 'unused', baseURL: `${server.url}/v1`, maxRetries: 0 });
});
afterAll(() => server.close());

const tools: OpenAI.Chat.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'bash',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  },
  {
    type: 'function',
    function: {
      name: 'write_file',
      parameters: { type: 'object', properties: { file_path: { type: 'string' }, content: { type: 'string' } } },
    },
  },
];

test('a whole tool conversation, not streamed', async () => {
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: `Do it.\n${script(
        [
          { run: 'ls -l', text: 'First a look.', usage: { input: 100, output: 20, cached: 60 } },
          { parallel: [{ write: { path: 'a', content: '1' } }, { run: 'cat a' }] },
        ],
        { say: 'All done.' },
      )}`,
    },
  ];
  const calls: string[] = [];
  for (;;) {
    const { choices, usage } = await client.chat.completions.create({ model: 'm', messages, tools });
    const [choice] = choices;
    if (choice === undefined) throw new Error('no choice');
    if (calls.length === 0) {
      expect(usage).toMatchObject({
        prompt_tokens: 100,
        completion_tokens: 20,
        prompt_tokens_details: { cached_tokens: 60 },
      });
    }
    messages.push(choice.message);
    if (choice.finish_reason !== 'tool_calls') {
      expect(choice).toMatchObject({ finish_reason: 'stop', message: { content: 'All done.' } });
      break;
    }
    for (const call of choice.message.tool_calls ?? []) {
      if (call.type !== 'function') throw new Error(call.type);
      calls.push(`${call.function.name} ${call.function.arguments}`);
      messages.push({ role: 'tool', tool_call_id: call.id, content: 'ok' });
    }
  }
  expect(calls).toEqual([
    'bash {"command":"ls -l"}',
    'write_file {"file_path":"a","content":"1"}',
    'bash {"command":"cat a"}',
  ]);
});

test('a streamed answer, as the client puts it together', async () => {
  const content = script([{ run: 'echo "ü 🙂 and more"', text: 'A look first.', think: 'I wonder.' }]);
  const stream = client.chat.completions.stream({
    model: 'm',
    messages: [{ role: 'user', content }],
    tools,
    stream_options: { include_usage: true },
  });
  const pieces: number[] = [];
  stream.on('chunk', (chunk) => pieces.push(chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments?.length ?? 0));
  const { choices, usage } = await stream.finalChatCompletion();
  expect(choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: 'A look first.',
      tool_calls: [
        { type: 'function', function: { name: 'bash', arguments: '{"command":"echo \\"ü 🙂 and more\\""}' } },
      ],
    },
  });
  expect(pieces.filter((length) => length > 0).length).toBeGreaterThan(1);
  expect(usage?.total_tokens).toBeGreaterThan(10);
});
